import KindredModel
import KindredOutput
import KindredOutput
import KindredSQLSyntax
import KindredSQLite

extension Parameters {
  /// Binds a value that does not depend on a row.
  func bind(_ binding: SQL.Binding, at parameter: Int32, to statement: Statement) throws {
    guard case .cursor(let number) = binding, let cursor else {
      return try statement.bind(try value(of: binding), at: parameter)
    }
    try statement.bind(cursor.value(number), at: parameter)
  }
}
