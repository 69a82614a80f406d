/// The position of an expression, which determines the names it can use.
struct Place {
  var table: TableSchema
  /// The node of the request with its children.
  var node: Node?
  /// The tables that `../`, `../../`, … refer to.
  var ancestors: [TableSchema] = []
  /// The join table that `via` refers to.
  var via: TableSchema?
  /// The annotations and fields that can be used here by name.
  var named: [(name: String, type: ExprType)] = []

  /// The associations by their keys here; a node takes precedence over an association with its key.
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

/// The rough type of an expression, so that values of like types are compared.
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
