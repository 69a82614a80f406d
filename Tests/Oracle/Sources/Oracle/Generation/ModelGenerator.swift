import OracleValues

/// Generates a model file: filtered associations, longer paths, default orders and selections.
enum ModelGenerator {
  /// Removes a table, with the associations from it and to it.
  static func remove(from schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    let viewed = schema.tables.compactMap(\.viewOf)
    let removable = schema.tables.filter { $0.viewOf == nil && !viewed.contains($0.name) }
    guard let name = random.pick(removable)?.name else { return }
    for number in schema.tables.indices {
      let isRemoved = schema.tables[number].name == name
      schema.tables[number].isRemoved = isRemoved
      schema.tables[number].associations.removeAll { isRemoved || $0.destination == name }
    }
  }

  static func refine(_ schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    for number in schema.tables.indices where random.chance(40) { addFirst(&schema, number, &random) }
    for number in schema.tables.indices {
      if random.chance(30) { addFiltered(&schema, number, &random) }
      for suffix in 0..<2 where random.chance(35) { addThrough(&schema, number, "\(suffix)", &random) }
      let table = schema.tables[number]
      let expressions = ExpressionGenerator.columns(of: table)
      if random.chance(15), let column = random.pick(expressions) {
        schema.tables[number].defaultSort = [SortTerm(expression: column, isDescending: random.chance(50))]
      }
      if random.chance(10), let term = associated(table, schema, &random) {
        schema.tables[number].defaultSort.insert(term, at: 0)
      }
      if random.chance(10) {
        schema.tables[number].defaultFields = table.columns.map(\.name).shuffled(using: &random).dropLast()
      }
    }
  }

  /// Returns an order by an association: a number of records, or a column of one; associations found by an order may
  /// lead to the order itself.
  private static func associated(
    _ table: TableSchema, _ schema: DatabaseSchema, _ random: inout SplitMix64
  ) -> SortTerm? {
    guard let association = random.pick(table.associations.filter { !$0.isOfModelFile }),
      let destination = schema.table(association.destination)
    else { return nil }
    let isDescending = random.chance(50)
    guard !association.isToMany else {
      let count = Path(leaf: .aggregate(AssociationAggregate(key: association.key, function: "count")))
      return SortTerm(expression: .path(count), isDescending: isDescending)
    }
    guard case .path(var path)? = random.pick(ExpressionGenerator.columns(of: destination)) else {
      return nil
    }
    path.hops = [association.key]
    return SortTerm(expression: .path(path), isDescending: isDescending)
  }

  private static func addFiltered(_ schema: inout DatabaseSchema, _ number: Int, _ random: inout SplitMix64) {
    guard var association = schema.tables[number].associations.randomElement(using: &random),
      let destination = schema.table(association.destination)
    else { return }
    association.key = association.isToMany ? "somes" : "some"
    association.isOfModelFile = true
    let place = Place(table: destination)
    association.filter = ExpressionGenerator(schema: schema, place: place).condition(&random, depth: 1)
    if random.chance(40), association.isToMany,
      let column = random.pick(ExpressionGenerator.columns(of: destination))
    {
      association.sort = [SortTerm(expression: column, isDescending: random.chance(50))]
    }
    schema.tables[number].associations.append(association)
  }

  /// A to-one association that several records match.
  private static func addFirst(_ schema: inout DatabaseSchema, _ number: Int, _ random: inout SplitMix64) {
    let found = schema.tables[number].associations.filter { $0.isToMany && $0.steps.count == 1 }
    guard var association = random.pick(found), let destination = schema.table(association.destination) else {
      return
    }
    (association.key, association.isToMany, association.isOfModelFile) = ("one", false, true)
    if let column = random.pick(ExpressionGenerator.columns(of: destination)), random.chance(60) {
      association.sort = [SortTerm(expression: column, isDescending: random.chance(50))]
    }
    schema.tables[number].associations.append(association)
  }

  /// One association behind another; several pivots, and filters on the way.
  private static func addThrough(
    _ schema: inout DatabaseSchema, _ number: Int, _ suffix: String, _ random: inout SplitMix64
  ) {
    guard let first = schema.tables[number].associations.randomElement(using: &random),
      let second = schema.table(first.destination)?.associations.randomElement(using: &random),
      first.steps.count + second.steps.count <= 4
    else { return }
    var steps = first.steps
    if let filter = first.filter { steps[steps.count - 1].filter = filter }
    if !first.isToMany { steps[steps.count - 1].sort = first.sort }
    steps += second.steps
    if !second.isToMany { steps[steps.count - 1].sort = second.sort }
    let isToMany = first.isToMany || second.isToMany
    schema.tables[number].associations.append(
      AssociationSchema(
        key: "far\(suffix)" + (isToMany ? "s" : ""), isToMany: isToMany, steps: steps,
        destination: second.destination, filter: second.filter, sort: second.sort, isOfModelFile: true))
  }
}
