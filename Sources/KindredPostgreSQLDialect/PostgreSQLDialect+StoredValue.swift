import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension PostgreSQLDialect {
  func stored(_ value: StoredValue, in column: Column, of table: Table) -> SQL {
    let type = type(of: column)
    let name = column.declaredType.hasPrefix(Column.compositePrefix) ? type?.name : column.declaredType
    func cast(_ sql: SQL) -> SQL {
      name.flatMap { $0.isEmpty ? nil : "CAST(\(sql) AS \(SQL(trusted: $0)))" } ?? sql
    }
    let converted: SQL =
      switch value {
      case .parameter(let binding, _) where column.isComposed: written(binding, to: column, of: table)
      case .parameter(let binding, _): conversion(binding, to: column) ?? parameter(binding, as: type)
      case .defaultValue(let sql), .generated(let sql): cast("(\(sql))")
      case .null: cast("NULL")
      }
    return column.collation == "default"
      ? converted : "(\(converted)) COLLATE \(identifier: column.collation)"
  }
}
