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
    switch number {
    case Cursor.Part.passed: try statement.bind(cursor.passed, at: parameter)
    case Cursor.Part.digest: try statement.bind(Cursor.Value.blob(cursor.digest ?? []), at: parameter)
    case _ where cursor.values.indices.contains(number):
      try statement.bind(cursor.values[number], at: parameter)
    default: throw RequestError(.invalidValue, "a value of the cursor is missing")
    }
  }
}
