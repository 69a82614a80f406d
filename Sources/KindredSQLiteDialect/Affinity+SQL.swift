import KindredModel
import KindredSQLSyntax

extension Column.Affinity {
  /// The name of a type with this affinity.
  var sql: SQL { SQL(trusted: rawValue.uppercased()) }
}
