import OrderedCollections
import KindredAssociations
import KindredExecution

extension HTMLLinks {
  /// Where the records of a request lead.
  init(_ request: FetchRequest, in model: Model) {
    var records: [[String]: Record] = [:]
    func add(_ node: RequestNode, _ resource: String, at path: [String]) {
      guard let resource = model.resources[resource] else { return }
      if let record = Record(node, resource) { records[path] = record }
      addChildren(of: node, at: path)
    }
    func addChildren(of node: RequestNode, at path: [String]) {
      for child in node.children {
        guard let association = child.association else { continue }
        if child.isIncluded {
          add(child, association.destination, at: path + [child.key])
        } else {
          // What is included below a joined node appears in the record above.
          addChildren(of: child, at: path)
        }
      }
    }
    var resource = request.path.resource
    for case .association(let association) in request.path.segments { resource = association.destination }
    add(request.root, resource, at: [])
    self.init(records)
  }
}

extension HTMLLinks.Record {
  /// Nil for records without a key, and for those that don't show it.
  init?(_ node: RequestNode, _ resource: Resource) {
    let columns = resource.table.primaryKey.map { resource.table.columns[$0].name }
    let key = columns.compactMap { node.member(showing: $0, of: resource) }
    guard !columns.isEmpty, key.count == columns.count, node.group.isEmpty else { return nil }
    self.init(
      path: "/\(URLCoding.encodeSegment(resource.name))", key: key,
      associations: Array(resource.associations.keys))
  }
}

extension RequestNode {
  /// The name of the member that shows a column as it is.
  fileprivate func member(showing column: String, of resource: Resource) -> String? {
    guard let fields else {
      let names = resource.fields ?? resource.columns.map(\.name)
      return names.contains(column) ? column : nil
    }
    for field in fields {
      switch field {
      case .all:
        if resource.columns.contains(where: { $0.name == column }) { return column }
      case .expression(let item):
        guard case .path(let path) = item.expression.kind, path.parents == 0, path.components.count == 1,
          path.components[0].arguments == nil,
          resource.table.column(named: path.components[0].name)?.name == column
        else { continue }
        return item.name ?? column
      }
    }
    return nil
  }
}
