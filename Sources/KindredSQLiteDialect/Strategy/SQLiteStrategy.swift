import KindredModel
import KindredPlanning

/// Runs the select of a node once for each parent record, since a call of SQLite costs next to nothing; but as a merge
/// join if both selects have the same order, pages sorted by an aggregate by grouping, and other pages that are sorted by their
/// keys; what no index finds, by a transient one.
struct SQLiteStrategy: PlanStrategy {
  let model: Model

  func arranged(_ tree: SelectTree) -> SelectTree {
    var tree = tree
    guard let root = tree.nodes.first else { return tree }
    for number in tree.nodes.indices {
      if let join = MergeJoin(tree.nodes[number], below: root, in: model) {
        (tree.nodes[number].rows, tree.nodes[number].page) = (join.rows, Page())
        tree.nodes[number].mergeJoin = join.columns
      }
      tree.nodes[number].rows.ranking = GroupedRanking(of: tree.nodes[number].rows)
      if tree.nodes[number].mergeJoin == nil {
        tree.nodes[number].rows.findKeysFirst(in: tree.nodes[number].page)
      }
      if number == 0 { tree.nodes[number].rows.findByCondition() }
    }
    return tree
  }

  func copiesTable(for search: UnindexedSearch) -> Bool {
    search.record.table.pointerColumns.isEmpty && TransientIndex(for: search, in: model) != nil
  }

  func source(of search: UnindexedSearch, insteadOf source: TableSource) -> TableSource {
    TransientIndex(for: search, in: model)?.source(insteadOf: source) ?? source
  }
}
