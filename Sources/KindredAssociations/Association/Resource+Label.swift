extension Resource {
  /// The column that names a record for people: one spelled `name` or `title`, else the first text that is unique by
  /// itself; nil where there is none.
  public var labelColumn: Column? {
    for name in ["name", "title"] {
      if let column = columns.first(where: { $0.name.equalsIgnoringCase(name) }) { return column }
    }
    return table.uniqueKeys.lazy.filter { $0.count == 1 }
      .map { table.columns[$0[0]] }
      .first { $0.affinity == .text && !hidden.contains($0.name) }
  }
}
