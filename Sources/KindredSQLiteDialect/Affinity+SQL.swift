import KindredModel
import KindredSQLSyntax

extension Column.Affinity {
  /// The name of a type with this affinity.
  var sql: SQL {
    switch self {
    case .integer: "INTEGER"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .real: "REAL"
    case .numeric: "NUMERIC"
    }
  }
}
