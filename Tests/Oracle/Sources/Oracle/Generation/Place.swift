/// Where an expression stands: what its names can be.
struct Place {
  var table: TableSchema
  /// The node of the request, its children known.
  var node: Node?
  /// The table of the records that `../` speaks of, and the keys that are nodes there.
  var parent: TableSchema?
  /// The join table that `via` speaks of.
  var via: TableSchema?
  /// Annotations and fields that can be named here.
  var named: [(name: String, type: ExprType)] = []

  /// The associations by the keys that they have here: a node's goes before one of that name.
  var associations: [(key: String, association: AssociationSchema, node: Node?)] {
    let nodes = node?.children ?? []
    let own = nodes.compactMap { child in
      table.association(child.association).map { (key: child.key, association: $0, node: Optional(child)) }
    }
    return own
      + table.associations.filter { association in !nodes.contains { $0.key == association.key } }
      .map { (key: $0.key, association: $0, node: nil) }
  }
}

/// What an expression is worth, so that like is compared with like.
enum ExprType: CaseIterable {
  case number, text, boolean

  init(_ kind: ColumnSchema.Kind) {
    switch kind {
    case .integer, .real: self = .number
    case .text: self = .text
    case .boolean: self = .boolean
    }
  }
}
