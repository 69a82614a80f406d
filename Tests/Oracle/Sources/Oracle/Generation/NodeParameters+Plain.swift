import OracleValues

/// Parameters that GRDB has too.
extension NodeParameters {
  /// - Parameter isToMany: Whether the node is a list, which may have aggregates and an order.
  mutating func addPlain(to node: inout Node, isToMany: Bool) {
    var generator = ExpressionGenerator(schema: schema, place: Place(table: place.table))
    (generator.allowsAssociations, generator.isPlain) = (false, true)
    if random.chance(40) { node.filters = [generator.condition(&random, depth: random.int(0...2))] }
    guard node.isIncluded else { return }
    if random.chance(25) {
      let type = random.pick(ExprType.allCases) ?? .number
      node.annotations.append(
        NamedExpr(name: name(), expression: generator.expression(&random, type, depth: random.int(0...2))))
    }
    guard isToMany else { return }
    for _ in 0..<random.int(0...2) {
      guard let aggregate = plainAggregate(generator) else { continue }
      node.annotations.append(NamedExpr(name: name(), expression: .path(Path(leaf: .aggregate(aggregate)))))
    }
    if random.chance(20), var aggregate = plainAggregate(generator) {
      if !["min", "max"].contains(aggregate.function) {
        (aggregate.function, aggregate.argument) = ("count", nil)
      }
      let sign = random.pick(["=", "<", "<=", ">", ">="]) ?? "="
      node.havings = [
        .binary(sign, .path(Path(leaf: .aggregate(aggregate))), .value(.integer(Int64(random.int(0...4)))))
      ]
    }
    if random.chance(50) {
      node.sort = (0..<random.int(1...2)).map { _ in
        SortTerm(
          expression: generator.leaf(&random, random.chance(50) ? .number : .text),
          isDescending: random.chance(40),
          nullsFirst: random.chance(30) ? random.chance(50) : nil)
      }
    }
    if node.key.isEmpty, random.chance(20) {
      (node.limit, node.offset) = (random.int(1...5), random.int(0...2))
    }
  }

  private mutating func plainAggregate(_ generator: ExpressionGenerator) -> AssociationAggregate? {
    let found = place.associations.filter { $0.association.isToMany && $0.node == nil }
    guard let (key, association, _) = random.pick(found), let table = schema.table(association.destination)
    else {
      return nil
    }
    var inner = ExpressionGenerator(schema: schema, place: Place(table: table))
    (inner.allowsAssociations, inner.isPlain) = (false, true)
    let function =
      random.pick(["count", "count", "isEmpty", "min", "max", "average", "sum", "total"]) ?? "count"
    var aggregate = AssociationAggregate(key: key, function: function)
    if random.chance(30) { aggregate.filters = [inner.condition(&random, depth: 1)] }
    guard function != "count", function != "isEmpty" else { return aggregate }
    aggregate.argument = random.pick(ExpressionGenerator.columns(of: table, .number))
    return aggregate.argument == nil ? nil : aggregate
  }
}
