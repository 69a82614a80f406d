import OracleValues

/// Generates random requests of the model.
package struct RandomRequestGenerator {
  private let model = TypedModel.library
  private var random: SplitMix64
  private var nextAlias = 0

  package init(random: SplitMix64) { self.random = random }

  /// Returns a request in which every list has a total order.
  package mutating func request() -> RandomRequest {
    nextAlias = 0
    let tables = [
      "author", "author", "book", "book", "country", "award", "edition", "printing", "profile", "citizenship",
    ]
    let table = random.pick(tables) ?? "author"
    var request = RandomRequest(table: table)
    request.chain = chain(table, depth: 0, place: .root, above: [])
    if random.chance(15) {
      request.limit = Limit(count: random.int(0...5), offset: random.chance(40) ? random.int(0...3) : nil)
    }
    return request
  }

  /// Returns a number that no other column of the request has in its name.
  private mutating func nextName() -> Int {
    nextAlias += 1
    return nextAlias
  }

  /// The position of a chain of calls.
  private enum Place {
    case root, joined, collection, aggregated
  }

  private mutating func chain(
    _ table: String, depth: Int, place: Place, above: [(alias: Int, table: String)]
  ) -> Chain {
    guard let table = model.table(table) else { return Chain() }
    var calls: [Call] = []
    var known = above
    // Selection.
    if place == .collection, table.name != "tally", random.chance(8) { return grouped(table, depth) }
    let isDistinct = place == .collection && random.chance(6)
    if isDistinct {
      let column = anyColumn(table)
      return Chain(
        calls: [
          .select([column]), .distinct,
          .order([OrderTerm(operand: Operand(column: column), isDescending: random.chance(50))]),
        ])
    }
    if place != .aggregated, random.chance(10) { calls.append(.select(selection(table))) }
    if place != .aggregated, random.chance(10) {
      calls.append(.annotate(column: anyColumn(table), name: "again\(nextName())"))
    }
    if random.chance(place == .root ? 25 : 35) { calls.append(.filter(condition(table, above: above))) }
    calls += joins(table, depth: depth, place, &known)
    if place == .root || place == .collection { calls += aggregates(table, place, depth: depth) }
    // A condition on a joined record, by its alias.
    let joined = known.dropFirst(above.count)
    if place == .root, let other = random.pick(Array(joined)), random.chance(60) {
      calls.append(.filter(aliased(table, other)))
    }
    if place != .aggregated { calls += order(table, place, Array(joined)) }
    if place == .collection, random.chance(10) {
      calls.append(.limit(Limit(count: random.int(0...2), offset: random.chance(30) ? 1 : nil)))
    }
    return Chain(calls: calls)
  }

  private mutating func grouped(_ table: TypedModel.Table, _ depth: Int) -> Chain {
    let column = anyColumn(table)
    let term = OrderTerm(operand: Operand(column: column), isDescending: random.chance(50))
    return Chain(calls: [.greatest(other: anyColumn(table), of: column), .order([term])])
  }

  private mutating func order(
    _ table: TypedModel.Table, _ place: Place, _ joined: [(alias: Int, table: String)]
  ) -> [Call] {
    var terms: [OrderTerm] = []
    if random.chance(45) {
      terms.append(OrderTerm(operand: Operand(column: anyColumn(table)), isDescending: random.chance(50)))
    }
    if place == .root, random.chance(30), let other = random.pick(joined),
      let table = model.table(other.table)
    {
      let operand = Operand(alias: other.alias, column: anyColumn(table))
      terms.insert(OrderTerm(operand: operand, isDescending: random.chance(50)), at: 0)
    }
    terms += table.key.map { OrderTerm(operand: Operand(column: $0), isDescending: random.chance(20)) }
    return [.order(terms)] + (random.chance(8) ? [.reversed] : [])
  }

  // MARK: Associations

  private mutating func joins(
    _ table: TypedModel.Table, depth: Int, _ place: Place, _ known: inout [(alias: Int, table: String)]
  ) -> [Call] {
    guard depth < 3 else { return [] }
    let count =
      random.pick(depth == 0 ? [0, 1, 1, 2, 2, 3] : place == .aggregated ? [0, 0, 0, 1] : [0, 0, 1, 1, 2])
      ?? 0
    var calls: [Call] = []
    for _ in 0..<count {
      guard let association = random.pick(model.associations(of: table.name)) else { continue }
      var joining = random.pick(Joining.allCases) ?? .includingOptional
      if association.isToMany, association.destination != "tally", random.chance(60) {
        joining = .includingAll
      }
      if joining == .includingAll,
        !association.isToMany || association.destination == "tally" || place == .aggregated
      {
        joining = .joiningOptional
      }
      if place == .aggregated { joining = random.chance(70) ? .joiningRequired : .joiningOptional }
      var use = AssociationUse(name: association.name)
      if random.chance(15) { use.key = "\(association.name)Key\(random.int(1...2))" }
      let place: Place = joining == .includingAll ? .collection : place == .aggregated ? .aggregated : .joined
      use.chain = chain(association.destination, depth: depth + 1, place: place, above: known)
      if place != .aggregated, random.chance(10), let destination = model.table(association.destination) {
        // A condition of a nested association about the current record.
        nextAlias += 1
        calls.append(.aliased(nextAlias))
        use.chain.calls.append(.filter(aliased(destination, (nextAlias, table.name))))
      }
      if joining != .includingAll, place == .joined, random.chance(30) {
        nextAlias += 1
        use.chain.calls.append(.aliased(nextAlias))
        known.append((nextAlias, association.destination))
      }
      if place == .joined, !association.isToMany, random.chance(12) {
        // Instead of the record, some of its columns.
        use.chain.calls.removeAll {
          if case .select = $0 { true } else if case .annotate = $0 { true } else { false }
        }
        calls.append(annotation(association, use, joining))
      } else {
        calls.append(.join(joining, use))
      }
    }
    return calls
  }

  private mutating func annotation(
    _ association: TypedModel.Association, _ use: AssociationUse, _ joining: Joining
  ) -> Call {
    let column = model.table(association.destination).map { anyColumn($0) } ?? ""
    return .annotateAssociated(
      isRequired: joining.isRequired, use,
      columns: [Renamed(column: column, name: "\(association.name)\(nextName())")])
  }

  private mutating func aggregates(_ table: TypedModel.Table, _ place: Place, depth: Int) -> [Call] {
    let associations = model.associations(of: table.name).filter { $0.isToMany && $0.destination != "tally" }
    guard !associations.isEmpty, random.chance(place == .root ? 35 : 12) else { return [] }
    return (0..<random.int(1...2)).map { index in
      if random.chance(50) {
        let isPlain = random.chance(40)
        let value =
          isPlain ? aggregate(associations, depth: depth, isNamed: true) : number(associations, depth: depth)
        return .aggregate(value, name: isPlain && index == 0 ? nil : "value\(index)")
      }
      return .having(aggregatedCondition(associations, depth: depth))
    }
  }

  private mutating func aggregate(
    _ associations: [TypedModel.Association], depth: Int, isNamed: Bool = false
  ) -> Aggregate {
    guard let association = random.pick(associations), let table = model.table(association.destination) else {
      return .absolute(number(associations, depth: depth))
    }
    var use = AssociationUse(name: association.name)
    if random.chance(40) {
      // An association with other filters gets another key.
      use.key = isNamed ? "\(association.name)Of" : "population\(random.int(1...1_000_000))"
      use.chain = chain(association.destination, depth: max(depth + 1, 2), place: .aggregated, above: [])
    }
    let function = random.pick(Aggregate.Function.allCases) ?? .count
    let numbers = table.columns.filter { $0.kind != .text }.map(\.name)
    let column =
      ["min", "max"].contains(function.rawValue) ? anyColumn(table) : random.pick(numbers) ?? anyColumn(table)
    return .of(use, function, column: column)
  }

  private mutating func number(_ associations: [TypedModel.Association], depth: Int) -> Aggregate {
    switch random.int(0...7) {
    case 0:
      return .arithmetic(
        aggregate(associations, depth: depth), random.pick(Aggregate.Operation.allCases) ?? .add,
        aggregate(associations, depth: depth))
    case 1:
      let value = aggregate(associations, depth: depth)
      // A number could not be decoded from a column of texts.
      if case .of(_, let function, _) = value, function == .min || function == .max { return value }
      return .otherwise(value, Int64(random.int(0...9)))
    case 2: return .absolute(aggregate(associations, depth: depth))
    case 3: return .length(aggregate(associations, depth: depth))
    default: return aggregate(associations, depth: depth)
    }
  }

  private mutating func aggregatedCondition(
    _ associations: [TypedModel.Association], depth: Int
  ) -> Aggregate {
    let comparison = random.pick(Comparison.allCases) ?? .equal
    switch random.int(0...7) {
    case 0: return .not(aggregatedCondition(associations, depth: depth))
    case 1:
      return .both(
        aggregatedCondition(associations, depth: depth), aggregatedCondition(associations, depth: depth))
    case 2:
      return .either(
        aggregatedCondition(associations, depth: depth), aggregatedCondition(associations, depth: depth))
    case 3:
      return .compared(number(associations, depth: depth), comparison, number(associations, depth: depth))
    default: return .value(number(associations, depth: depth), comparison, .integer(Int64(random.int(0...3))))
    }
  }

  // MARK: Columns and conditions

  private mutating func anyColumn(_ table: TypedModel.Table) -> String {
    random.pick(table.columns)?.name ?? ""
  }

  private mutating func selection(_ table: TypedModel.Table) -> [String] {
    table.columns.map(\.name).filter { table.key.contains($0) || random.chance(60) }
  }

  private mutating func condition(
    _ table: TypedModel.Table, above: [(alias: Int, table: String)], depth: Int = 0
  ) -> Condition {
    if depth < 2, random.chance(25) {
      let left = condition(table, above: above, depth: depth + 1)
      let right = condition(table, above: above, depth: depth + 1)
      return switch random.int(0...2) {
      case 0: .both(left, right)
      case 1: .either(left, right)
      default: .not(left)
      }
    }
    let column = anyColumn(table)
    let operand = Operand(column: column)
    switch random.int(0...5) {
    case 0: return .isNull(operand, negated: random.chance(50))
    case 1: return .among(operand, [value(table.column(column)), value(table.column(column))])
    case 2:
      if let other = random.pick(table.columns.filter { $0.kind == table.column(column)?.kind }) {
        return .operands(operand, random.pick(Comparison.allCases) ?? .equal, Operand(column: other.name))
      }
      return .isNull(operand, negated: true)
    default: return .value(operand, random.pick(Comparison.allCases) ?? .equal, value(table.column(column)))
    }
  }

  private mutating func aliased(
    _ table: TypedModel.Table, _ other: (alias: Int, table: String)
  ) -> Condition {
    guard let otherTable = model.table(other.table) else { return .exists(alias: other.alias) }
    let operand = Operand(alias: other.alias, column: anyColumn(otherTable))
    switch random.int(0...3) {
    case 0 where other.table != "tally":
      return random.chance(50) ? .not(.exists(alias: other.alias)) : .exists(alias: other.alias)
    case 1: return .isNull(operand, negated: random.chance(50))
    default:
      let kind = otherTable.column(operand.column)?.kind
      guard let own = random.pick(table.columns.filter { $0.kind == kind }) else {
        return .isNull(operand, negated: true)
      }
      return .operands(Operand(column: own.name), random.pick(Comparison.allCases) ?? .equal, operand)
    }
  }

  private mutating func value(_ column: TypedModel.Column?) -> Value {
    switch column?.kind {
    case .text:
      .text(
        random.pick(column?.refersTo == nil ? ["a", "b", "novel", "essay", ""] : ["FR", "PL", "IS"]) ?? "")
    case .real: .real(Double(random.int(0...8)) / 4)
    case .integer, nil: .integer(Int64(random.int(0...5)))
    }
  }
}
