import KindredModel

extension RequestShape {
  /// Describes a blueprint, whose shape isn't complete if it contains closures, aliases, common table expressions or the
  /// record that `request(for:)` starts from.
  init(of blueprint: RequestBlueprint, for purpose: RequestPurpose = .rows) {
    self.init(for: purpose, numbersValues: false)
    add(0 as UInt8)
    add(blueprint, isAssigned: purpose.isUpdate)
  }

  /// - Parameter isAssigned: Whether the selected expressions are assigned to columns, so that their values are bound.
  private mutating func add(_ blueprint: RequestBlueprint, isAssigned: Bool = false) {
    guard blueprint.failure == nil, blueprint.origin == nil, blueprint.aliases.isEmpty,
      blueprint.commonTables.isEmpty
    else { return isComplete = false }
    add(blueprint.tableName)
    add(blueprint.selection ?? blueprint.defaultSelection) { $0.add($1, hasValues: isAssigned) }
    add(blueprint.annotations) { $0.add($1) }
    add(blueprint.filters) { $0.add($1, hasValues: true) }
    add(blueprint.group) { $0.add($1) }
    add(blueprint.havings) { $0.add($1, hasValues: true) }
    let ordering = blueprint.ordering
    add(ordering.terms) { shape, term in
      shape.add(term.expression)
      shape.add(term.isDescending)
      shape.add(term.nulls.map { $0 == .first ? 1 : 2 } ?? 0 as Int)
    }
    for flag in [
      ordering.byPrimaryKey, ordering.isReversed, ordering.isStable, blueprint.groupsByPrimaryKey,
      blueprint.isDistinct, blueprint.isForCollectionsOnly, blueprint.hasAggregates,
    ] { add(flag) }
    for number in [blueprint.limit, blueprint.offset.flatMap { $0 == 0 ? nil : $0 }] {
      add(number != nil)
      if let number { add(.integer(Int64(number)), isBound: true) }
    }
    add(blueprint.children) { $0.add($1) }
  }

  private mutating func add(_ child: AssociatedRequest) {
    add(child.key)
    switch child.inclusion {
    case .joined(let isRequired, let isIncluded):
      add(isRequired)
      add(isIncluded)
    case .prefetched: add(2 as UInt8)
    }
    add(child.path.key)
    add(child.path.links) { shape, link in
      switch link.condition {
      case .belongsTo(let key): shape.add(1, key)
      case .has(let key): shape.add(2, key)
      case .on: shape.isComplete = false
      }
      shape.add(link.isToOne)
      shape.add(link.key)
      shape.add(link.blueprint)
    }
  }

  private mutating func add(_ tag: UInt8, _ key: ForeignKey?) {
    add(tag)
    add(key?.originColumns)
    add(key?.destinationColumns)
  }

  private mutating func add(_ key: AssociationKey) {
    let (tag, name): (UInt8, String) =
      switch key {
      case .inflected(let name): (0, name)
      case .singular(let name): (1, name)
      case .plural(let name): (2, name)
      }
    add(tag)
    add(name)
  }

  private mutating func add(_ selection: SQLSelection, hasValues: Bool = false) {
    switch selection.item {
    case .all: add(0 as UInt8)
    case .allExcept(let names):
      add(1 as UInt8)
      add(names)
    case .expression(let expression, let name):
      add(2 as UInt8)
      add(expression, hasValues: hasValues)
      add(name.map { [$0] })
    case .allOf, .literal, .deferred: isComplete = false
    }
  }

  private mutating func add(_ expression: SQLExpression, hasValues: Bool = false) {
    switch expression.form {
    case .known(var known): add(&known, hasValues: hasValues)
    case .joined(let joining, let operands):
      add(joining == .or ? 250 : 251 as UInt8)
      add(operands) { $0.add($1, hasValues: hasValues) }
    case .deferred: isComplete = false
    }
  }
}
