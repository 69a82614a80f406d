import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Values with the affinity and the collation of a column (<https://www.sqlite.org/datatype3.html>).
///
/// A cast gives an expression an affinity, but it converts more than storing does: of a text that isn't a number, which a
/// column of numbers stores as it is, it makes a number.
extension Column {
  /// Returns a value as the column would store it.
  func stored(_ value: StoredValue) -> SQL {
    let sql = value.sql
    let converted: SQL =
      switch (castType, value) {
      case (nil, _), (_, .parameter(_, isText: true)), (_, .returned): sql
      case (let type?, .defaultValue) where affinity.isNumeric && !sql.isNumber:
        // It may be a text, such as the current time. Such a value has no affinity.
        "CASE WHEN \(cast(sql, type)) IS \(sql) THEN \(cast(sql, type)) ELSE \(sql) END"
      case (let type?, _): cast(sql, type)
      }
    return collation.equalsIgnoringCase("BINARY")
      ? converted : "(\(converted)) COLLATE \(identifier: collation)"
  }

  /// Returns the condition that the value is exactly what the column would store; nil if it always is.
  func isExact(_ value: StoredValue) -> SQL? {
    guard let type = castType else { return nil }
    let sql = value.sql
    // A comparison with the result of a cast applies the affinity to the other side.
    return switch value {
    case .parameter(_, isText: true): "NOT (\(cast(sql, type)) IS \(sql))"
    // A default may differ each time, and is stored as the cast makes it.
    case .defaultValue, .null, .returned: nil
    case .parameter, .generated: "\(cast(sql, type)) IS \(sql)"
    }
  }

  /// Returns whether the column is one of numbers and the text isn't one, as far as that can be told; ``isExact(_:)``
  /// makes sure of it.
  func keepsText(_ text: String) -> Bool {
    isOfNumbers
      && (text.contains { "xXpPnN".contains($0) }
        || Double(text.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }) == nil)
  }

  private var isOfNumbers: Bool {
    switch affinity {
    case .integer, .numeric, .real: true
    case .text, .blob: false
    }
  }

  /// The type to which values are cast; nil if the column converts none.
  private var castType: SQL? {
    // The texts of documents are compared by functions, for which affinity has no meaning.
    if valueFormat == .json { return nil }
    return switch affinity {
    case .integer, .numeric: "NUMERIC"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: nil
    }
  }

  private func cast(_ value: SQL, _ type: SQL) -> SQL { "CAST(\(value) AS \(type))" }
}

extension StoredValue {
  fileprivate var sql: SQL {
    switch self {
    case .parameter(let binding, _), .returned(let binding): "\(binding)"
    case .defaultValue(let sql), .generated(let sql): "(\(sql))"
    case .null: "NULL"
    }
  }
}

extension SQL {
  /// Whether it is a number in any number of parentheses.
  fileprivate var isNumber: Bool {
    Double(rendered().text.filter { $0 != "(" && $0 != ")" && $0 != " " }) != nil
  }
}
