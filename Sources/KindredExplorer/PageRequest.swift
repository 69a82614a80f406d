import KindredModel
import KindredPlanning
import KindredHTTP
import KindredOutput
import KindredSQLSyntax
import KindredRequests
import KindredTools

/// A request extended by what a page shows: the labels of referenced records, the keys that links need, and counts of
/// associated records, all read by the request's own statements.
package struct PageRequest {
  package private(set) var request: FetchRequest
  private var records: [[String]: HTMLLayout.Record] = [:]
  private let model: Model
  private let basePath: BasePath
  private var hiddenCount = 0

  /// Limits on the records, references and associations that are extended, so that the work of the database stays
  /// bounded.
  ///
  /// The rest is shown without labels and counts.
  private static let (maximumRecords, maximumExtras, maximumCounts) = (12, 12, 24)

  package init(_ request: FetchRequest, in model: Model, below basePath: BasePath) {
    self.request = request
    self.model = model
    self.basePath = basePath
    var name = request.path.resource
    for case .association(let association) in request.path.segments { name = association.destination }
    var root = request.root
    if let resource = model.resources[name] { add(&root, resource, at: [], keys: []) }
    self.request.root = root
  }

  package var layout: HTMLLayout { HTMLLayout(records) }

  // MARK: Nodes

  private mutating func add(
    _ node: inout RequestNode, _ resource: Resource, at path: [String], keys: [String]
  ) {
    var record = HTMLLayout.Record(resource: resource.name, node: keys.joined(separator: "."))
    for column in resource.columns {
      if let member = node.member(showing: column.name, of: resource) {
        record.columns[member] = HTMLLayout.Column(
          name: column.name, term: column.name.asExpressionName, input: column.input.rawValue,
          literal: column.literal?.rawValue, comment: column.comment,
          isFixed: column.isGenerated || column.isComputed)
      }
    }
    if !node.searches.isEmpty, !node.isGrouped, let fullText = resource.table.fullText, fullText.version != 3,
      fullText.version != 4
    {
      for (member, column) in record.columns
      where fullText.columns.contains(where: { column.name.hasBytes(of: $0) }) {
        record.columns[member]?.isSearched = column.input == "text"
      }
    }
    record.repeats = node.children.first { $0.recursion != nil && $0.isIncluded }?.key
    record.groupKeys = node.groupKeys
    record.order = node.order(of: record.columns)
    record.changes = resource.changes.map(\.token)
    record.isSearchable = resource.table.fullText != nil
    // Added members would change which groups or records count as distinct.
    if !node.isGrouped, !node.isDistinct, node.values == nil, records.count < Self.maximumRecords {
      decorate(&node, resource, &record)
    }
    records[path] = record
    addChildren(of: &node, at: path, keys: keys)
  }

  private mutating func addChildren(of node: inout RequestNode, at path: [String], keys: [String]) {
    for index in node.children.indices {
      let child = node.children[index]
      guard let association = child.association, let resource = model.resources[association.destination]
      else { continue }
      if child.isIncluded {
        add(&node.children[index], resource, at: path + [child.key], keys: keys + [child.key])
      } else {
        // Records included below a joined node appear in the record above.
        addChildren(of: &node.children[index], at: path, keys: keys + [child.key])
      }
    }
  }

  private mutating func decorate(
    _ node: inout RequestNode, _ resource: Resource, _ record: inout HTMLLayout.Record
  ) {
    if let label = resource.labelColumn {
      record.heading = node.member(showing: label.name, of: resource)
      record.label = add(Self.nonempty([label.name]), to: &node)
    }
    addReferences(of: resource, &record, &node)
    let key = resource.shownAddressColumns
    guard !key.isEmpty else { return }
    record.address = HTMLLayout.Address(
      path: "\(basePath.text)/\(URLCoding.encodeSegment(resource.name))",
      key: key.map { column in
        (
          URLCoding.encodeSegment(column.name), member(for: column.name, of: resource, in: &node),
          column.keyReading
        )
      })
    addAssociations(of: resource, &record, &node)
  }

  /// Returns the member that shows a column, adding a hidden one if there is none.
  private mutating func member(
    for column: String, of resource: Resource, in node: inout RequestNode
  ) -> String {
    node.member(showing: column, of: resource) ?? add(Expression(names: [column]), to: &node)
  }

  private mutating func add(_ expression: Expression, to node: inout RequestNode) -> String {
    let name = HTMLLayout.hiddenMember(hiddenCount)
    hiddenCount += 1
    node.annotations.append(NamedExpression(name: name, expression: expression))
    return name
  }

  /// Returns a label that is NULL if it is blank.
  private static func nonempty(_ names: [String]) -> Expression {
    let empty = Expression(.value(.text("")), at: Origin())
    return .call("nullif", .call("trim", Expression(names: names)), empty)
  }

  /// Adds the labels and keys of the records that visible foreign keys refer to.
  private mutating func addReferences(
    of resource: Resource, _ record: inout HTMLLayout.Record, _ node: inout RequestNode
  ) {
    for association in resource.associations.values where record.references.count < Self.maximumExtras {
      guard association.kind == "belongsTo", !needsParameters(association),
        let step = association.steps.first,
        let member = node.member(showing: step.originColumns[0], of: resource),
        record.references[member] == nil,
        let destination = model.resources[association.destination],
        // A node of the request may use this key for something else.
        node.children.first(where: { $0.key == association.key }).map({
          $0.association?.key == association.key && $0.recursion == nil
        }) ?? true
      else { continue }
      let key = destination.shownAddressColumns
      guard !key.isEmpty else { continue }
      let address = HTMLLayout.Address(
        path: "\(basePath.text)/\(URLCoding.encodeSegment(destination.name))",
        key: key.map { column in
          (
            URLCoding.encodeSegment(column.name),
            add(Expression(names: [association.key, column.name]), to: &node), column.keyReading
          )
        })
      // If the key is the label, it needs no further text.
      let label = destination.labelColumn.flatMap { column in
        step.destinationColumns[0] == column.name
          ? nil : add(Self.nonempty([association.key, column.name]), to: &node)
      }
      record.references[member] = HTMLLayout.Reference(address: address, label: label)
    }
  }

  private mutating func addAssociations(
    of resource: Resource, _ record: inout HTMLLayout.Record, _ node: inout RequestNode
  ) {
    var counted = 0
    for association in resource.associations.values {
      var count: String?
      let needsParameters = needsParameters(association)
      if counted < Self.maximumCounts, !needsParameters, isIndexed(association) {
        counted += 1
        let isToMany = association.cardinality == .toMany
        let number = Expression(
          .program(.count(of: association.key, most: isToMany ? HTMLLayout.countLimit : 1)), at: Origin())
        let none = Expression(.value(.integer(0)), at: Origin())
        count = add(isToMany ? number : .call("nullif", number, none), to: &node)
      }
      record.associations.append(
        HTMLLayout.Association(
          key: association.key, isToMany: association.cardinality == .toMany, count: count,
          needsParameters: needsParameters))
    }
  }

  /// Returns whether the records of an association need parameters that only its node can give.
  private func needsParameters(_ association: Association) -> Bool {
    model.resources[association.destination]?.parameters(below: association).contains(where: \.isRequired)
      ?? false
  }

  /// Returns whether the records of an association are found without a scan.
  private func isIndexed(_ association: Association) -> Bool {
    association.steps.allSatisfy { step in
      model.tables[step.destination]?.isIndexed(step.destinationColumns) ?? false
    }
  }
}

extension Resource {
  /// The methods by which the principal may change some of its records, wherever they are found.
  fileprivate var changes: [HTTPMethod] {
    let whole: [(WriteMethod, Table.Changes)] = [(.post, .insert), (.patch, .update), (.delete, .delete)]
    return whole.filter { allows($0) && table.changes.contains($1) }.map(\.0.method)
  }
}

extension RequestNode {
  /// The names of the fields by which groups are formed: those without an aggregate.
  fileprivate var groupKeys: Set<String> {
    guard isGrouped else { return [] }
    let keys = (fields ?? []).compactMap { field -> String? in
      guard case .expression(let item) = field, !item.expression.isGroupAggregate else { return nil }
      return item.name ?? item.expression.simpleName
    }
    return Set(keys)
  }

  /// Returns the member that shows the first term of the order, if that is a name.
  fileprivate func order(of columns: [String: HTMLLayout.Column]) -> (member: String, isDescending: Bool)? {
    guard let term = sort?.first, let name = term.expression.simpleName else { return nil }
    return (columns.first { $0.value.name == name }?.key ?? name, term.isDescending)
  }

  /// Returns the name of the member that shows a column unchanged.
  fileprivate func member(showing column: String, of resource: Resource) -> String? {
    guard let fields else {
      return resource.defaultColumns.contains { $0.name == column } ? column : nil
    }
    for field in fields {
      switch field {
      case .all:
        if resource.allColumns.contains(where: { $0.name == column }) { return column }
      case .expression(let item):
        guard let name = item.expression.simpleName,
          resource.column(named: name)?.name == column
        else { continue }
        return item.name ?? column
      }
    }
    return nil
  }
}

extension Column {
  /// How a text in a path is read in this column.
  fileprivate var keyReading: KeyReading { takesBase64 ? .blob : isUntyped ? .untyped : .text }
}

extension Expression {
  fileprivate static func call(_ name: String, _ arguments: Expression...) -> Expression {
    Expression(.function(name: name, arguments: arguments, isDistinct: false), at: Origin())
  }

  /// The name that is the whole expression, if it is one.
  fileprivate var simpleName: String? {
    guard case .path(let path) = kind, path.parents == 0, path.components.count == 1,
      path.components[0].arguments == nil
    else { return nil }
    return path.components[0].name
  }
}
