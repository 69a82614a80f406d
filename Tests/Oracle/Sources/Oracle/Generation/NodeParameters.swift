import OracleValues

/// Gives a node random parameters.
struct NodeParameters {
  let schema: DatabaseSchema
  let place: Place
  var random: SplitMix64
  var nameCount: Int

  /// Whether expressions may compare values with `null`.
  private var comparesWithNull = false

  init(schema: DatabaseSchema, place: Place, random: SplitMix64, nameCount: Int) {
    (self.schema, self.place, self.random, self.nameCount) = (schema, place, random, nameCount)
    comparesWithNull = self.random.chance(4)
  }

  private var expressions: ExpressionGenerator { generator(place) }

  private func generator(_ place: Place) -> ExpressionGenerator {
    var generator = ExpressionGenerator(schema: schema, place: place)
    generator.comparesWithNull = comparesWithNull
    return generator
  }

  /// - Parameter taken: The names of existing members of the record.
  mutating func add(to node: inout Node, isToMany: Bool, isGrouped: Bool, isBare: Bool, taken: Set<String>) {
    guard node.isIncluded else {
      addConditions(to: &node, named: [])
      if !isToMany, random.chance(30) { node.sort = sort(named: []) }
      return
    }
    if isGrouped {
      addGroup(to: &node)
    } else {
      addResults(to: &node, isBare: isBare, taken: taken)
    }
    guard isToMany else {
      if !node.key.isEmpty, random.chance(25) { node.sort = sort(named: named(in: node)) }
      return
    }
    if !isGrouped, random.chance(40) { node.sort = sort(named: named(in: node)) }
    if random.chance(20) { node.limit = random.int(0...4) }
    if random.chance(8) { node.offset = random.int(0...3) }
    if node.recursion == nil, random.chance(12), !node.hasLists(below: place.table, in: schema) {
      node.isDistinct = true
    }
  }

  private mutating func addResults(to node: inout Node, isBare: Bool, taken: Set<String>) {
    if isBare {
      let type = type()
      node.values = expressions.expression(&random, type, depth: random.int(0...1))
    } else {
      if random.chance(30) { node.fields = fields(taken: taken) }
      if random.chance(35) { addAnnotations(to: &node, taken: taken) }
    }
    addConditions(to: &node, named: named(in: node))
  }

  private mutating func type() -> ExprType { random.pick([.number, .number, .text, .boolean]) ?? .number }

  mutating func name() -> String {
    nameCount += 1
    return "n\(nameCount)"
  }

  private mutating func addConditions(to node: inout Node, named: [(name: String, type: ExprType)]) {
    var place = place
    place.named = named
    let generator = generator(place)
    if random.chance(35) {
      for _ in 0..<random.int(1...2) {
        node.filters.append(generator.condition(&random, depth: random.int(0...2)))
      }
    }
    if random.chance(12) { node.havings.append(generator.condition(&random, depth: 1)) }
  }

  // MARK: Fields and annotations

  private mutating func fields(taken: Set<String>) -> [Node.Field] {
    var names = taken
    var fields: [Node.Field] = []
    for _ in 0..<(random.pick([0, 1, 1, 2, 3]) ?? 1) {
      if random.chance(60), let column = random.pick(place.table.columns), names.insert(column.name).inserted
      {
        let path = Expr.path(Path(leaf: .column(column.name)))
        fields.append(.named(NamedExpr(name: column.name, expression: path, writesName: false)))
      } else {
        let type = type()
        let expression = expressions.expression(&random, type, depth: random.int(0...2))
        fields.append(.named(NamedExpr(name: name(), expression: expression)))
      }
    }
    let hasColumns = place.table.columns.contains { names.contains($0.name) }
    if !hasColumns, random.chance(15) { fields.insert(.all, at: random.int(0...fields.count)) }
    return fields
  }

  private mutating func addAnnotations(to node: inout Node, taken: Set<String>) {
    for _ in 0..<random.int(1...3) {
      if random.chance(25), let item = defaultNamed(), !taken.contains(item.name),
        !isMember(item.name, of: node)
      {
        node.annotations.append(item)
        continue
      }
      if random.chance(15), let odd = expressions.oddColumn(&random) {
        node.annotations.append(NamedExpr(name: name(), expression: odd))
        continue
      }
      let type = type()
      var place = place
      // Names within names.
      if random.chance(40) { place.named = named(in: node) }
      let expression = generator(place).expression(&random, type, depth: random.int(0...2))
      node.annotations.append(NamedExpr(name: name(), expression: expression))
    }
  }

  private func isMember(_ name: String, of node: Node) -> Bool {
    place.table.column(name) != nil || (node.annotations + node.namedFields).contains { $0.name == name }
  }

  /// Returns an aggregate under its default name (docs/requests.md, Aggregates), for keys with a regular singular.
  private mutating func defaultNamed() -> NamedExpr? {
    let plain = place.associations.filter { found in
      found.association.isToMany && found.node?.recursion == nil && found.key.hasSuffix("s")
        && found.key.allSatisfy(\.isLowercase)
    }
    guard let (key, association, _) = random.pick(plain) else { return nil }
    let singular = String(key.dropLast())
    var aggregate = AssociationAggregate(key: key, function: "count")
    var name = singular + "Count"
    let columns = schema.table(association.destination)?.columns.filter {
      !$0.isOdd && !$0.isUncompared && ($0.kind == .integer || $0.kind == .real)
    }
    if let column = random.pick(columns ?? []), random.chance(60) {
      let (key, column) = (singular.capitalizedFirst, column.name)
      (aggregate.function, name) =
        random.pick([
          ("min", "min\(key)\(column.capitalizedFirst)"), ("max", "max\(key)\(column.capitalizedFirst)"),
          ("average", "average\(key)\(column.capitalizedFirst)"),
          ("sum", "\(singular)\(column.capitalizedFirst)Sum"),
        ]) ?? ("min", "")
      aggregate.argument = .path(Path(leaf: .column(column)))
    } else if random.chance(30) {
      (aggregate.function, name) = ("isEmpty", "hasNo\(singular.capitalizedFirst)")
    }
    let leaf: Path.Leaf = random.chance(50) ? .aggregate(aggregate) : .defaultName(name, aggregate)
    return NamedExpr(name: name, expression: .path(Path(leaf: leaf)), writesName: random.chance(20))
  }

  // MARK: Groups

  private mutating func addGroup(to node: inout Node) {
    var keys: [NamedExpr] = []
    let generator = expressions
    for _ in 0..<random.int(0...2) {
      let type = type()
      let expression = generator.expression(&random, type, depth: random.chance(70) ? 0 : 1)
      keys.append(NamedExpr(name: name(), expression: expression))
    }
    if random.chance(8) { keys.append(NamedExpr(name: name(), expression: constant())) }
    node.group = keys.map(\.expression)
    if random.chance(15) { node.group += keyColumns() }
    var fields = random.chance(80) ? keys : []
    for _ in 0..<random.int(1...3) { fields.append(NamedExpr(name: name(), expression: groupAggregate())) }
    // Valid only if it is the same in each group.
    if !node.group.isEmpty, random.chance(20) {
      let expression = opposite(of: node) ?? generator.expression(&random, type(), depth: random.int(0...1))
      fields.append(NamedExpr(name: name(), expression: expression))
    }
    node.fields = fields.map(Node.Field.named)
    if random.chance(35) { node.filters = [generator.condition(&random, depth: 1)] }
    if random.chance(30) {
      let limit = generator.literal(&random, .number)
      node.havings = [.binary(random.pick([">", "<", "="]) ?? ">", groupAggregate(), limit)]
    }
    guard random.chance(40) else { return }
    let sorted = random.pick(fields).map { Expr.path(Path(leaf: .named($0.name))) } ?? groupAggregate()
    node.sort = [
      SortTerm(expression: random.chance(60) ? sorted : groupAggregate(), isDescending: random.chance(50))
    ]
  }

  /// The columns of the primary key, here or of a to-one association, which determines the other columns.
  private mutating func keyColumns() -> [Expr] {
    var (hops, table) = ([] as [String], place.table)
    if random.chance(40), case (let way, let end)? = expressions.toOne(&random) {
      (hops, table) = (way, end.table)
    }
    guard table.viewOf == nil else { return [] }
    return table.key.map { .path(Path(hops: hops, leaf: .column($0))) }
  }

  /// Some grouping condition the other way round.
  private mutating func opposite(of node: Node) -> Expr? {
    for case .isNull(let part, let negated) in node.group { return .isNull(part, negated: !negated) }
    for case .inList(let part, let list, let negated) in node.group {
      return .inList(part, list, negated: !negated)
    }
    return nil
  }

  /// A value that is the same for all records.
  private mutating func constant() -> Expr {
    random.pick([
      .value(.null), .boolean(true), .boolean(false), .value(.integer(1)), .value(.integer(2)),
      .value(.integer(99)), .value(.text("x")), .value(.real(1.5)),
    ]) ?? .value(.null)
  }

  private mutating func groupAggregate() -> Expr {
    let generator = expressions
    switch random.int(0...5) {
    case 0, 1: return .aggregate("count", nil, isDistinct: false)
    case 2: return .aggregate("count", generator.leaf(&random, .text), isDistinct: random.chance(50))
    case 3:
      return .aggregate(
        random.pick(["min", "max"]) ?? "min", generator.leaf(&random, .text), isDistinct: false)
    default:
      let name = random.pick(["sum", "avg", "total", "min", "max"]) ?? "sum"
      return .aggregate(name, generator.number(&random, depth: random.int(0...1)), isDistinct: false)
    }
  }

  // MARK: Order

  /// The annotations and fields of a node that are not columns.
  private func named(in node: Node) -> [(name: String, type: ExprType)] {
    (node.annotations + node.namedFields).filter { place.table.column($0.name) == nil }
      .map { ($0.name, $0.expression.type(in: place.table)) }
  }

  private mutating func sort(named: [(name: String, type: ExprType)]) -> [SortTerm] {
    var place = place
    place.named = named
    let generator = generator(place)
    return (0..<random.int(1...3)).map { _ in
      if random.chance(25), let odd = random.pick(place.table.columns.filter(\.isOdd)) {
        return SortTerm(expression: .path(Path(leaf: .column(odd.name))), isDescending: random.chance(40))
      }
      if random.chance(5) {
        return SortTerm(expression: constant(), isDescending: random.chance(40), isNoCase: random.chance(20))
      }
      if random.chance(8) {
        return SortTerm(expression: generator.clockOrder(&random), isDescending: random.chance(50))
      }
      let type = type()
      let expression = generator.expression(&random, type, depth: random.chance(75) ? 0 : 1)
      return SortTerm(
        expression: expression, isDescending: random.chance(40), isNoCase: type == .text && random.chance(25),
        nullsFirst: random.chance(30) ? random.chance(50) : nil)
    }
  }
}

extension Expr {
  /// The rough type of the expression, so that values of like types are compared.
  func type(in table: TableSchema) -> ExprType {
    switch self {
    case .boolean, .not, .junction, .isNull, .inList, .between, .match: .boolean
    case .value(let value): if case .text = value { .text } else { .number }
    case .minus, .aggregate("sum", _, _), .aggregate("count", _, _): .number
    case .binary(let sign, _, _):
      sign == "||" ? .text : ["+", "-", "*", "/", "%"].contains(sign) ? .number : .boolean
    case .call(let name, let parts):
      ["abs", "length", "instr", "julianday"].contains(name)
        ? .number
        : ["ifnull", "coalesce", "min", "max", "nullif"].contains(name) ? parts[0].type(in: table) : .text
    case .cast(_, let type): type == "text" ? .text : .number
    case .collate: .text
    case .aggregate(_, let part, _): part?.type(in: table) ?? .number
    case .path(let path): path.type(in: table)
    }
  }
}

extension Path {
  fileprivate func type(in table: TableSchema) -> ExprType {
    switch leaf {
    case .aggregate(let aggregate), .defaultName(_, let aggregate):
      aggregate.function == "isEmpty" ? .boolean : .number
    case .column(let name) where parents == 0 && hops.isEmpty:
      table.column(name).map { ExprType($0.kind) } ?? .number
    case .column, .via, .named: .number
    }
  }
}

extension Node {
  /// Whether its results contain lists.
  fileprivate func hasLists(below table: TableSchema, in schema: DatabaseSchema) -> Bool {
    children.contains { child in
      guard child.isReturned, let association = table.association(child.association),
        let destination = schema.table(association.destination)
      else { return false }
      return association.isToMany || child.recursion != nil || child.hasLists(below: destination, in: schema)
    }
  }
}
