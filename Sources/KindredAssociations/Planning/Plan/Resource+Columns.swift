extension Resource {
  /// The column of this name, unless it is hidden.
  func column(named name: String) -> Column? {
    guard let column = table.column(named: name), !hidden.contains(column.name) else { return nil }
    return column
  }
}

extension Column {
  /// How its values are written in JSON.
  public var valueFormat: Plan.ValueFormat {
    switch declaredType.uppercased() {
    case "BOOLEAN", "BOOL": .boolean
    case "JSON": .json
    // To SQLite, which knows no such type, its values would be numbers.
    case "JSONB" where affinity == .text: .json
    default: .plain
    }
  }
}
