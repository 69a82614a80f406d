import KindredModel

extension ResolvedExpression {
  /// Returns whether it reads a column, or counts records, that the client's roles may not read.
  func readsWithheld(of record: NameScope) -> Bool {
    if case .path(let path) = meaning { return path.readsWithheld(of: record) }
    return parts.contains { $0.readsWithheld(of: record) }
  }
}

extension ResolvedPath {
  fileprivate func readsWithheld(of record: NameScope) -> Bool {
    switch self {
    case .column(let column): record.resource.withholds(column.name)
    // Who may read it may read what it makes of other columns.
    case .computed(let computed): record.resource.withholds(computed.name)
    case .via(.column(let column)): record.via?.withholds(column.name) ?? false
    case .via(.computed(let computed)): record.via?.withholds(computed.name) ?? false
    case .via: false
    case .above(let levels, let path):
      (1...levels).reduce(record) { scope, _ in scope?.parent }.map(path.readsWithheld) ?? false
    case .joined(let association, let path): path.readsWithheld(of: association.names)
    case .named(let name): name.expression.readsWithheld(of: record)
    case .aggregate(let aggregate):
      aggregate.association.names.resource.isWithheld
        || (aggregate.filters + aggregate.arguments).contains {
          $0.readsWithheld(of: aggregate.association.names)
        }
    case .claim, .unknown: false
    }
  }
}

extension Resource {
  /// Whether the roles of the model can't read any part of it.
  fileprivate var isWithheld: Bool { permissions.read == nil }

  /// Returns whether the roles of the model may not read a column.
  fileprivate func withholds(_ column: String) -> Bool {
    isWithheld || permissions.read?.fields.map { !$0.contains(column) } ?? false
  }
}
