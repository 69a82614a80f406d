import KindredModel

/// The records that expressions read, and whether evaluating the expressions could reveal anything about them.
package struct Exposure {
  /// Without repetitions, in the order in which they are first read.
  private(set) var records: [StatementRecord] = []
  /// Whether the value of a record could make an operation fail or take noticeably longer.
  var mayDisclose = false

  /// Nothing is read.
  init() {}

  /// An exposure of these records by harmless operations.
  init(_ records: [StatementRecord]) { self.records = records }

  mutating func add(_ record: StatementRecord) {
    if !records.contains(where: { $0 === record }) { records.append(record) }
  }

  mutating func add(_ other: Exposure) {
    for record in other.records { add(record) }
    mayDisclose = mayDisclose || other.mayDisclose
  }
}

extension PlanningState {
  /// Returns the result of `body` and what the expressions compiled by it expose.
  ///
  /// The exposure is also added to the enclosing one.
  func exposing<Result>(_ body: () throws -> Result) rethrows -> (result: Result, exposure: Exposure) {
    let outer = exposure
    exposure = Exposure()
    defer {
      let inner = exposure
      exposure = outer
      exposure.add(inner)
    }
    let result = try body()
    return (result, exposure)
  }

  /// Returns the result of `body`, whose conditions are guarded where they stand; it isn't added to the exposure.
  func guardedApart<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = exposure
    defer { exposure = outer }
    return try body()
  }
}

extension PlanningContext {
  /// Whether access rules may hide records from the client, so that the exposure of expressions matters.
  ///
  /// It is false inside a rule, which may read everything.
  var restrictsRows: Bool { state.model.whole != nil && !isInRule }
}

extension Expression {
  /// Whether evaluating the operation can reveal its operands, by an error or by the time that it takes.
  ///
  /// Comparisons and arithmetic are defined for all operands and take the same time for each; functions and patterns
  /// are not and do not.
  func exposesOperands(in dialect: any SQLDialect) -> Bool {
    switch kind {
    case .function(let name, _, _):
      !["coalesce", "ifnull", "nullif", "iif", "min", "max"].contains(name.lowercased())
    case .match, .program, .binary(.concatenate, _, _): true
    case .binary(let op, _, _): !op.isComparison && !dialect.hasTotalArithmetic
    case .unary(.minus, _), .cast: !dialect.hasTotalArithmetic
    case .literal, .value, .null, .boolean, .path, .all, .any, .unary(.not, _), .unary(.plus, _), .isNull,
      .in, .between, .collate, .cases:
      false
    }
  }
}
