extension Resource {
  /// The column that stands for a record where it is shown: as the model file says, else one spelled name or title, else
  /// the first text that no two records share; nil where there is none of these.
  public var labelColumn: Column? {
    let columns = columns
    if let label { return columns.first { $0.name == label } }
    for name in ["name", "title"] {
      if let column = columns.first(where: { $0.name.equalsIgnoringCase(name) }) { return column }
    }
    return columns.first { $0.affinity == .text && table.isUnique([$0.name]) }
  }
}
