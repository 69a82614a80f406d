/// What the planning of a request may take.
public struct PlanningLimits: Sendable, Hashable {
  /// Expressions that are compiled, each as often as something names it.
  public var expressions = 20_000
  /// Levels of an expression, the names in it having been replaced by what they stand for.
  public var expressionDepth = 64
  /// Bytes of SQL.
  public var sqlLength = 256 << 10
  /// Whether `like`, `glob` and `||` are functions that can be stopped, and build texts of bounded length only.
  public var boundsOperators = true

  /// The limits of a server.
  public init() {}

  /// None, for the requests of a program.
  public static var none: PlanningLimits {
    var limits = PlanningLimits()
    (limits.expressions, limits.expressionDepth, limits.sqlLength) = (.max, .max, .max)
    limits.boundsOperators = false
    return limits
  }
}

/// What the planning of a request has taken so far.
struct PlanningBudget {
  let limits: PlanningLimits
  /// Throws where the planning must stop.
  let check: () throws -> Void
  private(set) var depth = 0
  private var expressions = 0
  private var copiedLength = 0

  init(_ limits: PlanningLimits, check: @escaping () throws -> Void) {
    self.limits = limits
    self.check = check
  }

  /// Charges an expression, and goes a level deeper, into it.
  mutating func enter(_ origin: Origin) throws {
    try charge(1, at: origin)
    try deepen(origin)
  }

  /// Goes a level deeper, into an expression that has been charged.
  mutating func deepen(_ origin: Origin) throws {
    guard depth < limits.expressionDepth else {
      throw RequestError(
        .limitExceeded,
        "with what its names stand for, the expression nests deeper than \(limits.expressionDepth) levels: simplify it",
        at: origin)
    }
    depth += 1
  }

  mutating func leave() { depth -= 1 }

  /// Charges the work of so many expressions.
  mutating func charge(_ count: Int, at origin: Origin) throws {
    // Often enough: some hundred expressions are compiled in a millisecond.
    if expressions / 256 != (expressions + count) / 256 { try check() }
    expressions += count
    guard expressions <= limits.expressions else {
      throw RequestError(
        .limitExceeded,
        "the request is more than \(limits.expressions) expressions, what names stand for counted at each use: ask for less at once",
        at: origin)
    }
  }

  /// Charges SQL that stands where a name, or another request of the same, has been written.
  mutating func charge(length: Int, at origin: Origin) throws {
    copiedLength += length
    guard copiedLength <= limits.sqlLength else { throw tooLong(at: origin) }
  }

  func tooLong(at origin: Origin? = nil) -> RequestError {
    RequestError(
      .limitExceeded,
      "the request makes more than \(limits.sqlLength >> 10) KiB of SQL, what names stand for counted at each use: ask for less at once",
      at: origin)
  }
}
