import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension SelectTree {
  /// Replaces the subqueries that count associated records by NULL if all these records are read anyway, as in
  /// `include=books&annotate=bookCount`: then the rows that are read are counted.
  ///
  /// - Returns: The numbers of the nodes whose columns have changed.
  mutating func countingRows() -> Set<Int> {
    var changed: Set<Int> = []
    for number in nodes.indices.dropFirst() {
      let node = nodes[number]
      guard node.batch?.counting != nil, let above = node.collectionOf,
        let association = node.rows.record.node?.association,
        let column = nodes[above.node].rows.counts.first(where: { _, aggregate in
          aggregate.counted == association && aggregate.origin.column(of: above.id) != nil
        })?.key,
        isOnlyShown(column, of: nodes[above.node]),
        !nodes.contains(where: { $0.collectionOf == above && $0.batch?.countColumn == column })
      else { continue }
      nodes[above.node].rows.columns[column] = "NULL::int8"
      nodes[number].batch?.countColumn = column
      changed.insert(above.node)
    }
    return changed
  }

  /// Returns whether a column of a node is part of its records, and used for nothing else.
  private func isOnlyShown(_ column: Int, of node: NodeSelect) -> Bool {
    let rows = node.rows
    let sql = rows.columns[column]
    guard rows.group == nil, !rows.isDistinct, !rows.order.contains(where: { $0.sql == sql }) else {
      return false
    }
    let isShown = rows.shape.columns.allSatisfy {
      switch $0 {
      case .value(column, let format): format == .plain
      case .presence(column): false
      case .value, .presence: true
      }
    }
    return isShown
      && !nodes.contains { reader in
        reader.batch?.columns.contains { $0.reads(column, of: node, from: reader.level) } ?? false
      }
  }
}

extension SQL.Binding {
  /// Returns whether a select of a level may read a column of a node's records by this.
  fileprivate func reads(_ column: Int, of node: NodeSelect, from level: Int) -> Bool {
    guard case .ancestor(let distance, column) = self else { return false }
    // The records above those of a recursive node may be its own.
    return node.recursion == nil
      ? level - distance == node.level : level >= node.level && level - distance <= node.level
  }
}
