import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension PostgreSQLDialect {
  var overridingIdentity: SQL { " OVERRIDING SYSTEM VALUE" }

  func assigned(_ value: CompiledExpression, to column: Column) -> SQL { value.assigned(to: column) }

  func stored(_ value: StoredValue, in column: Column, of table: Table) -> SQL {
    let type = type(of: column)
    let name = column.declaredType.hasPrefix(Column.compositePrefix) ? type?.name : column.declaredType
    func cast(_ sql: SQL) -> SQL {
      name.flatMap { $0.isEmpty ? nil : "CAST(\(sql) AS \(SQL(trusted: $0)))" } ?? sql
    }
    let converted: SQL =
      switch value {
      case .parameter(let binding, _) where column.isComposed || column.document?.writing != nil:
        written(binding, to: column, of: table)
      case .parameter(let binding, _): conversion(binding, to: column) ?? parameter(binding, as: type)
      case .returned(let binding): cast("\(binding)")
      case .defaultValue(let sql), .generated(let sql): cast("(\(sql))")
      case .null: cast("NULL")
      }
    return column.collation == "default"
      ? converted : "(\(converted)) COLLATE \(identifier: column.collation)"
  }
}

extension CompiledExpression {
  /// Returns the value as it is bound to a parameter that writes a column: as JSON to columns of JSON, arrays and
  /// composites, else as PostgreSQL's text.
  fileprivate func assigned(to column: Column) -> SQL {
    if let functions = column.document, !column.isComposed, !isConstant {
      return functions.writing == nil ? "\(operand)::text" : "\(shownDocument ?? "to_json(\(sql))")::text"
    }
    guard column.isComposed || column.valueFormat == .json else {
      return PostgreSQLDynamicValue(self)?.text.sql ?? sql
    }
    if case .literal(_, .text) = form, claim == nil { return sql }
    switch type?.kind {
    case nil: return sql
    case .json?, .dynamic?: return "\(asShown.operand)::text"
    default: return "to_json(\(sql))::text"
    }
  }
}
