extension Row: CustomStringConvertible {
  /// The columns on one line: `[id:1, title:"Moby-Dick"]`.
  public var description: String {
    "[" + map { "\($0):\($1)" }.joined(separator: ", ") + "]"
  }
}

extension Row: CustomDebugStringConvertible {
  /// The row as a tree: its columns, those of the statement, the scopes, and the sizes of the collections.
  ///
  ///     ▿ [id:1, authorId:2, title:"Moby-Dick"]
  ///       unadapted: [id:1, authorId:2, title:"Moby-Dick", id:2, name:"Herman Melville"]
  ///       - author: [id:2, name:"Herman Melville"]
  ///       + prizes: 3 rows
  ///
  /// A row that has only columns is described on one line.
  public var debugDescription: String {
    let tree = treeLines(indentation: "  ")
    let isAdapted = layout.statement.map { $0.columns != layout.columns } ?? false
    guard isAdapted || !tree.isEmpty else { return description }
    let base = values(in: layout.statement ?? layout)
    return (["▿ \(description)", "  unadapted: \(base.description)"] + tree).joined(separator: "\n")
  }

  private func treeLines(indentation: String) -> [String] {
    scopes.flatMap { scope in
      ["\(indentation)- \(scope.name): \(scope.row.description)"]
        + scope.row.treeLines(indentation: indentation + "  ")
    }
      + prefetchedRows.ownKeys.map { key in
        let count = prefetchedRows.count(key)
        return "\(indentation)+ \(key): \(count) \(count == 1 ? "row" : "rows")"
      }
  }
}
