extension Resource {
  /// The column whose value labels a record: the one that the model file names, else one called `name` or `title`,
  /// else the first unique text column; nil if there is none.
  public var labelColumn: Column? {
    let columns = columns
    if let label { return columns.first(named: label) }
    for name in ["name", "title"] {
      if let column = columns.first(where: { $0.name.equalsIgnoringCase(name) }) { return column }
    }
    return columns.first { $0.affinity == .text && table.isUnique([$0.name]) }
  }
}
