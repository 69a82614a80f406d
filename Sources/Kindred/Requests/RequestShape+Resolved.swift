import KindredModel
import KindredSQLSyntax

extension RequestShape {
  /// Describes the engine's request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - purpose: What it is planned for.
  ///   - numbersValues: Whether its values are replaced by their numbers; each literal is another value of the same
  ///     storage class, on which no plan for others can depend.
  init(
    of request: inout KindredModel.FetchRequest, for purpose: RequestPurpose = .rows, numbersValues: Bool
  ) {
    self.init(for: purpose, numbersValues: numbersValues)
    // No blueprint begins so.
    add(1 as UInt8)
    isAssigned = purpose.isUpdate
    add(&request)
    guard numbersValues else { return }
    request.literals = Literals(areDistinct: true)
    for value in values { _ = request.literals.number(of: value.other) }
  }

  mutating func add(_ request: inout KindredModel.FetchRequest) {
    guard request.path.segments.isEmpty, request.page == .first else { return isComplete = false }
    add(request.path.resource)
    add(request.origin?.count ?? -1)
    for (name, origin) in (request.origin ?? [:]).sorted(by: { $0.key < $1.key }) {
      var binding = origin
      add(name)
      add(&binding)
      request.origin?[name] = binding
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
      let isAssigned = isAssigned
      add(&fields) { shape, field in
        shape.add(field == .all)
        guard case .expression(var item) = field else { return }
        shape.add(&item, hasValues: isAssigned)
        field = .expression(item)
      }
      node.fields = fields
    }
    add(&node.annotations) { $0.add(&$1) }
    add(&node.filters) { $0.add(&$1, hasValues: true) }
    add(&node.group) { $0.add(&$1) }
    add(&node.havings) { $0.add(&$1, hasValues: true) }
    if var terms = node.sort {
      add(&terms) { shape, term in
        shape.add(&term.expression)
        shape.add(term.isDescending)
        shape.add(term.isNoCase)
        shape.add(term.nulls.map { $0 == .first ? 1 : 2 } ?? 0 as Int)
      }
      node.sort = terms
    }
    add(&node.rows.limit)
    add(&node.rows.offset)
    add(node.rows.aliases) { $0.add($1) }
    add(node.rows.originAliases) { $0.add($1) }
    add(&node.rows.commonTables) { $0.add(&$1) }
    add(&node.children) { $0.add(&$1) }
  }

  private mutating func add(_ item: inout NamedExpression, hasValues: Bool = false) {
    add(item.name.map { [$0] })
    add(&item.expression, hasValues: hasValues)
  }

  private mutating func add(_ binding: inout SQLText.Binding?) {
    add(binding != nil)
    guard var known = binding else { return }
    add(&known)
    binding = known
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
}

extension SQLValue {
  /// Another value of the same storage class.
  fileprivate var other: SQLValue {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer == 7 ? 8 : 7)
    case .real(let real): .real(real == 0.5 ? 1.5 : 0.5)
    case .text(let text): .text(text == "other" ? "another" : "other")
    case .blob(let bytes): .blob(bytes == [7] ? [8] : [7])
    }
  }
}
