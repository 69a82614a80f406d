import KindredSQLSyntax

/// What SQLite runs best: the select of a node once for each record above, since a call costs it next to nothing; but
/// merge-joined with the root's where both come in the same order, and pages of an aggregate by its groups.
struct SQLiteStrategy: PlanStrategy {
  let model: Model

  func arranged(_ tree: SelectTree) -> SelectTree {
    var tree = tree
    guard let root = tree.nodes.first?.rows else { return tree }
    for number in tree.nodes.indices {
      if let join = MergeJoin(tree.nodes[number], below: root, in: model) {
        (tree.nodes[number].rows, tree.nodes[number].page) = (join.rows, "")
        tree.nodes[number].mergeJoin = join.columns
      }
      tree.nodes[number].rows.ranking = GroupedRanking(of: tree.nodes[number].rows)
    }
    return tree
  }
}
