import OracleValues

extension TypedEvaluator {
  /// Returns the value of an aggregate for a record.
  func value(of aggregate: Aggregate, _ record: Record, _ table: String) throws -> Value {
    func one(_ aggregate: Aggregate) throws -> Value { try value(of: aggregate, record, table) }
    func truth(_ aggregate: Aggregate) throws -> Bool? {
      let value = try one(aggregate)
      return value.isNull ? nil : value.isTrue
    }
    switch aggregate {
    case .of(let use, let function, let column):
      let records = try population(of: use, record, table)
      return Self.value(of: function, records.map { $0[column] ?? .null })
    case .arithmetic(let left, let operation, let right):
      return try Self.value(one(left), operation, one(right))
    case .otherwise(let value, let other):
      let value = try one(value)
      return value.isNull ? .integer(other) : value
    case .absolute(let value):
      switch try one(value) {
      case .integer(let integer): return .integer(abs(integer))
      case .real(let real): return .real(abs(real))
      case .text: return .real(0)
      case .null: return .null
      case .bytes: throw Unsupported("bytes")
      }
    case .length(let value):
      switch try one(value) {
      case .integer(let integer): return .integer(Int64("\(integer)".count))
      case .text(let text): return .integer(Int64(text.unicodeScalars.count))
      case .real, .bytes: throw Unsupported("the length of a real")
      case .null: return .null
      }
    case .value(let left, let comparison, let right):
      return Self.value(Self.compared(try one(left), comparison, right))
    case .compared(let left, let comparison, let right):
      return Self.value(Self.compared(try one(left), comparison, try one(right)))
    case .both(let left, let right): return Self.value(Self.both(try truth(left), try truth(right)))
    case .either(let left, let right): return Self.value(Self.either(try truth(left), try truth(right)))
    case .not(let value): return Self.value(try truth(value).map { !$0 })
    }
  }

  private static func value(_ truth: Bool?) -> Value { truth.map { .integer($0 ? 1 : 0) } ?? .null }

  private static func value(of function: Aggregate.Function, _ all: [Value]) -> Value {
    let values = all.filter { !$0.isNull }
    let sum = values.reduce(0) { $0 + $1.number }
    let areIntegers = values.allSatisfy { if case .integer = $0 { true } else { false } }
    return switch function {
    case .count: .integer(Int64(all.count))
    case .isEmpty: .integer(all.isEmpty ? 1 : 0)
    case .min: values.min { Value.order($0, $1) < 0 } ?? .null
    case .max: values.max { Value.order($0, $1) < 0 } ?? .null
    case .average: values.isEmpty ? .null : .real(sum / Double(values.count))
    case .sum: values.isEmpty ? .null : areIntegers ? .integer(Int64(sum)) : .real(sum)
    case .total: .real(sum)
    }
  }

  private static func value(_ left: Value, _ operation: Aggregate.Operation, _ right: Value) throws -> Value {
    func calculated<Number: SignedNumeric>(_ left: Number, _ right: Number) -> Number {
      switch operation {
      case .add: left + right
      case .subtract: left - right
      case .multiply: left * right
      }
    }
    switch (left, right) {
    case (.null, _), (_, .null): return .null
    case (.integer(let left), .integer(let right)): return .integer(calculated(left, right))
    // SQLite converts these texts to 0.
    case (.integer(let left), .text): return .integer(calculated(left, 0))
    case (.text, .integer(let right)): return .integer(calculated(0, right))
    case (.text, .text): return .integer(calculated(0 as Int64, 0))
    default: return .real(calculated(left.number, right.number))
    }
  }
}
