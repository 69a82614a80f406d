import KindredModel

/// The resources that planning a request may use.
public struct PlanningLimits: Sendable, Hashable {
  /// The maximum number of expressions, each counted as often as it is named.
  ///
  /// A selected column counts as one, and a select as 16.
  public var expressions = 20_000
  /// The maximum depth of an expression after its names have been replaced by their definitions.
  public var expressionDepth = 64
  /// The maximum depth of the expressions that define computed columns, in addition to that of the request's.
  public var definitionDepth = 64
  /// The maximum number of bytes of SQL.
  public var sqlLength = 256 << 10
  /// Whether `like`, `glob` and `||` are compiled to functions that can be interrupted and limit the length of their
  /// results.
  public var boundsOperators = true

  /// The limits of a server.
  public init() {}

  /// No limits, for the requests of a program.
  public static var none: PlanningLimits {
    var limits = PlanningLimits()
    (limits.expressions, limits.expressionDepth, limits.sqlLength) = (.max, .max, .max)
    limits.definitionDepth = .max
    limits.boundsOperators = false
    return limits
  }
}

/// The resources that planning a request has used so far.
struct PlanningBudget {
  let limits: PlanningLimits
  /// Throws if planning has to stop.
  let check: () throws -> Void
  private(set) var depth = 0
  /// The definitions of computed columns around the current expression.
  private var definitions = 0
  /// The depth within them.
  private var definitionDepth = 0
  private(set) var expressions = 0
  private var copiedLength = 0

  init(_ limits: PlanningLimits, check: @escaping () throws -> Void) {
    self.limits = limits
    self.check = check
  }

  /// Charges an expression, and descends into it.
  mutating func enter(_ origin: Origin) throws {
    try charge(1, at: origin)
    try deepen(origin)
  }

  /// Descends into an expression that has been charged already.
  mutating func deepen(_ origin: Origin) throws {
    guard definitions == 0 else {
      guard definitionDepth < limits.definitionDepth else {
        throw RequestError(
          .limitExceeded,
          "the expression nests deeper than \(limits.definitionDepth) levels after the computed columns in it are replaced by their definitions; simplify these",
          at: origin)
      }
      definitionDepth += 1
      return
    }
    guard depth < limits.expressionDepth else {
      throw RequestError(
        .limitExceeded,
        "the expression nests deeper than \(limits.expressionDepth) levels after its names are replaced by their definitions; simplify it",
        at: origin)
    }
    depth += 1
  }

  mutating func leave() {
    if definitions > 0 { definitionDepth -= 1 } else { depth -= 1 }
  }

  /// Begins the definition of a computed column, which doesn't count for the depth of the request's expressions.
  mutating func beginDefinition() { definitions += 1 }

  mutating func endDefinition() { definitions -= 1 }

  /// Charges the work of this number of expressions.
  mutating func charge(_ count: Int, at origin: Origin) throws {
    // This is often enough: a millisecond compiles a few hundred expressions.
    if expressions / 256 != (expressions + count) / 256 { try check() }
    expressions += count
    guard expressions <= limits.expressions else {
      throw RequestError(
        .limitExceeded,
        "the request has more than \(limits.expressions) expressions, columns and selects, counting the definition of a name at each use; simplify it or split it into several requests",
        at: origin)
    }
  }

  /// Charges the SQL that a name is replaced by.
  mutating func charge(length: Int, at origin: Origin) throws {
    copiedLength += length
    guard copiedLength <= limits.sqlLength else { throw tooLong(at: origin) }
  }

  func tooLong(at origin: Origin? = nil) -> RequestError {
    RequestError(
      .limitExceeded,
      "the request needs more than \(limits.sqlLength >> 10) KiB of SQL, counting the definition of a name at each use; simplify it or split it into several requests",
      at: origin)
  }
}
