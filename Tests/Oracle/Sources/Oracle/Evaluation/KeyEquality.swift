import OracleValues

/// When a foreign key refers to a record (<https://www.sqlite.org/foreignkeys.html#fk_basics>): by the affinity and the
/// collation of the column referred to.
extension ColumnSchema {
  /// Whether a value of a column that refers to this one is equal to a value of this one.
  func isEqual(_ value: Value, toReferring other: Value) -> Bool {
    Value.isEqualKey(folded(value), folded(converted(other)))
  }

  /// A value as it is stored in a column of this type (<https://www.sqlite.org/datatype3.html#storage_class_and_affinity>).
  func converted(_ value: Value) -> Value {
    switch (declared ?? kind.rawValue, value) {
    case ("INTEGER", .text(let text)), ("REAL", .text(let text)), ("BOOLEAN", .text(let text)):
      // Spaces around a number don't count.
      Self.number(in: text.filter { $0 != " " }) ?? value
    case ("TEXT", .integer(let integer)): .text("\(integer)")
    case ("TEXT", .real(let real)): .text("\(real)")
    default: value
    }
  }

  private static func number(in text: String) -> Value? {
    Int64(text).map(Value.integer) ?? Double(text).map(Value.real)
  }

  /// A text that represents all texts that are equal by the collation.
  func folded(_ value: Value) -> Value {
    guard case .text(let text) = value else { return value }
    switch collation {
    case .binary: return value
    case .nocase:
      return .text(String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }, as: UTF8.self))
    case .rtrim: return .text(String(text.reversed().drop { $0 == " " }.reversed()))
    }
  }
}
