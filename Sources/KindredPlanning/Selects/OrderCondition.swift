import KindredModel
import KindredSQLSyntax

/// A condition on the place of rows in their order, to be written for any expressions in the places of its terms.
indirect enum OrderCondition {
  /// The rows after the start of a keyset.
  case beyond(Keyset)
  /// The rows whose terms with these numbers equal the values of a keyset.
  case equal(Keyset, terms: [Int])
  /// The rows whose terms have the digest of a cursor; the duration of computing it would disclose the length of a value
  /// that the rules hide.
  case digest(rules: [SQL])
  case not(OrderCondition)
  case all([OrderCondition])

  func sql(on expressions: [SQL], _ dialect: any SQLDialect) -> SQL {
    operands(on: expressions, dialect).conjunction
  }

  private func operands(on expressions: [SQL], _ dialect: any SQLDialect) -> [SQL] {
    switch self {
    case .beyond(let keyset):
      return [keyset.condition(on: expressions)]
    case .equal(let keyset, let terms):
      return keyset.equality(on: expressions, in: terms)
    case .digest(let rules):
      let digest = dialect.parameter(.cursor(Cursor.Part.digest), as: dialect.digestType)
      let isSame: SQL = "\(dialect.digest(of: expressions)) = \(digest)"
      return [isSame.behind(rules)]
    case .not(let condition):
      return ["NOT \(condition.sql(on: expressions, dialect))"]
    case .all(let conditions):
      return conditions.flatMap { $0.operands(on: expressions, dialect) }
    }
  }
}
