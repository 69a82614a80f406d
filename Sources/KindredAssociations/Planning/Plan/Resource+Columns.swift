extension Resource {
  /// Returns the column with this name, unless it is hidden.
  func column(named name: String) -> Column? {
    guard let column = table.column(named: name), !hidden.contains(column.name) else { return nil }
    return column
  }
}

extension Column {
  /// The JSON format of its values.
  public var valueFormat: Plan.ValueFormat {
    switch declaredType.uppercased() {
    case "BOOLEAN", "BOOL": .boolean
    case "JSON": .json
    // SQLite has no type JSON; its rules give such a column numeric affinity.
    case "JSONB" where affinity == .text: .json
    default: .plain
    }
  }
}
