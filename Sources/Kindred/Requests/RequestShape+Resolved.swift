import KindredModel
import KindredSQLSyntax

extension RequestShape {
  /// Describes the engine's request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - putsMarks: Whether marks are put into the places of the values.
  init(of request: inout KindredModel.FetchRequest, putsMarks: Bool) {
    self.init(putsMarks: putsMarks)
    // No blueprint begins so.
    add(1 as UInt8)
    add(&request)
  }

  mutating func add(_ request: inout KindredModel.FetchRequest) {
    guard request.path.segments.isEmpty, request.page == .first else { return isComplete = false }
    add(request.path.resource)
    add(request.origin?.count ?? -1)
    for (name, origin) in (request.origin ?? [:]).sorted(by: { $0.key < $1.key }) {
      var value = origin
      add(name)
      add(&value, isBound: true)
      request.origin?[name] = value
    }
    add(&request.root)
  }

  mutating func add(_ node: inout RequestNode) {
    guard node.recursion == nil, node.values == nil, node.equalities.isEmpty, node.parameters.isEmpty,
      node.searches.isEmpty, node.limit == nil, node.offset == nil
    else { return isComplete = false }
    // In the order of the links of the blueprint's path.
    add(&node.rows.pivots) { $0.add(&$1) }
    add(node.key)
    add(node.association)
    for flag in [
      node.isIncluded, node.isRequired, node.isDistinct, node.rows.isPrefetched, node.fields != nil,
      node.sort != nil,
    ] { add(flag) }
    if var fields = node.fields {
      add(&fields) { shape, field in
        shape.add(field == .all)
        guard case .expression(var item) = field else { return }
        shape.add(&item)
        field = .expression(item)
      }
      node.fields = fields
    }
    add(&node.annotations) { $0.add(&$1) }
    add(&node.filters) { $0.add(&$1) }
    add(&node.group) { $0.add(&$1) }
    add(&node.havings) { $0.add(&$1) }
    if var terms = node.sort {
      add(&terms) { shape, term in
        shape.add(&term.expression)
        shape.add(term.isDescending)
        shape.add(term.isNoCase)
        shape.add(term.nulls.map { $0 == .first ? 1 : 2 } ?? 0 as Int)
      }
      node.sort = terms
    }
    add(limit: node.rows.limit, offset: node.rows.offset)
    if putsMarks { mark(&node.rows) }
    add(node.rows.aliases) { $0.add($1) }
    add(node.rows.originAliases) { $0.add($1) }
    add(&node.rows.commonTables) { $0.add(&$1) }
    add(&node.children) { $0.add(&$1) }
  }

  private mutating func add(_ item: inout NamedExpression) {
    add(item.name.map { [$0] })
    add(&item.expression)
  }

  private mutating func add(_ table: inout CommonTable) {
    add(table.name)
    add(table.columns)
    switch table.definition {
    case .raw(var parts):
      add(0 as UInt8)
      add(&parts)
      table.definition = .raw(parts)
    case .request(var request):
      add(1 as UInt8)
      add(&request)
      table.definition = .request(request)
    }
  }

  private mutating func add(_ association: KindredModel.Association?) {
    add(association != nil)
    guard let association else { return }
    guard association.filter == nil, association.sort.isEmpty else { return isComplete = false }
    add(association.cardinality == .toOne)
    add(association.destination)
    add(association.steps) { shape, step in
      guard step.filter == nil, step.sort == nil, step.parameters.isEmpty else {
        return shape.isComplete = false
      }
      shape.add(step.origin)
      shape.add(step.destination)
      shape.add(step.originColumns)
      shape.add(step.destinationColumns)
      shape.add(step.direction == .belongsTo)
      shape.add(step.isToOne)
    }
  }

  // MARK: Pages

  /// Adds the values of a page, of which only the values in the statement are bound.
  mutating func add(limit: Int64?, offset: Int64) {
    add(limit != nil)
    add(offset != 0)
    for number in [limit, offset == 0 ? nil : offset] {
      guard let number else { continue }
      var value = SQLValue.integer(number)
      add(&value, isBound: true)
    }
  }

  /// Puts the marks of the last values into a page.
  private func mark(_ rows: inout RowOptions) {
    var number = values.count
    if rows.offset != 0 {
      number -= 1
      rows.offset = PlannedShape.mark(number)
    }
    if rows.limit != nil { rows.limit = PlannedShape.mark(number - 1) }
  }
}
