import GRDB
import OracleValues

extension GRDBTranslator {
  /// An expression about a record's own columns.
  func expression(_ expression: Expr) throws -> SQLExpression { try sql(expression).sqlExpression }

  private func sql(_ expression: Expr) throws -> SQL {
    func not(_ negated: Bool) -> SQL { negated ? "NOT " : "" }
    func raw(_ text: String) -> SQL { SQL(sql: text) }
    switch expression {
    case .value(let value): return "\(value.databaseValue)"
    case .boolean(let value): return value ? "TRUE" : "FALSE"
    case .path(let path):
      guard path.parents == 0, path.hops.isEmpty, case .column(let name) = path.leaf else {
        throw Unsupported("names of other records")
      }
      return "\(Column(name))"
    case .not(let part): return "(NOT \(try sql(part)))"
    case .minus(let part): return "(- \(try sql(part)))"
    case .binary(let sign, let left, let right): return "(\(try sql(left)) \(raw(sign)) \(try sql(right)))"
    case .junction(let word, let parts): return "(\(try parts.map(sql).joined(separator: " \(word) ")))"
    case .isNull(let part, let negated): return "(\(try sql(part)) IS \(not(negated))NULL)"
    case .inList(let part, let list, let negated):
      return "(\(try sql(part)) \(not(negated))IN (\(try list.map(sql).joined(separator: ", "))))"
    case .between(let part, let low, let high, let negated):
      return "(\(try sql(part)) \(not(negated))BETWEEN \(try sql(low)) AND \(try sql(high)))"
    case .match(let word, let part, let pattern, let negated):
      return "(\(try sql(part)) \(not(negated))\(raw(word)) \(try sql(pattern)))"
    case .call(let name, let parts): return "\(raw(name))(\(try parts.map(sql).joined(separator: ", ")))"
    case .cast(let part, let type): return "CAST(\(try sql(part)) AS \(raw(type)))"
    case .collate(let part, let name): return "(\(try sql(part)) COLLATE \(raw(name)))"
    case .aggregate: throw Unsupported("groups")
    }
  }

  /// Returns a term of an order, with NULLs where SQLite puts them.
  func term(_ term: SortTerm) throws -> any SQLOrderingTerm {
    // SQLite would take an integer for the number of a column.
    let text = try sql(term.expression)
    if case .value = term.expression { throw Unsupported("constant orders") }
    // `IN ()` is one too, and what it makes false.
    if term.expression.hasEmptyList { throw Unsupported("constant orders") }
    var expression = text.sqlExpression
    if term.isNoCase { expression = ("\(text) COLLATE NOCASE" as SQL).sqlExpression }
    return switch (term.isDescending, term.nullsFirst) {
    case (false, true?), (false, nil): expression.asc
    case (true, false?), (true, nil): expression.desc
    case (false, false?): expression.ascNullsLast
    case (true, true?): expression.descNullsFirst
    }
  }
}

extension Value {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .bytes: .null
    }
  }

  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .string(let value): self = .text(value)
    case .blob: self = .null
    }
  }
}
