import OracleValues

/// Generates random expressions about the records of a place.
struct ExpressionGenerator {
  let schema: DatabaseSchema
  let place: Place
  /// Whether expressions may contain aggregates and to-one columns.
  var allowsAssociations = true
  /// Whether values may be compared with the literal `null`, which is refused.
  var comparesWithNull = false
  /// Whether expressions only consist of what GRDB has too.
  var isPlain = false

  static func columns(of table: TableSchema, _ type: ExprType? = nil) -> [Expr] {
    table.columns.filter { !$0.isOdd && !$0.isUncompared && (type == nil || ExprType($0.kind) == type) }.map {
      .path(Path(leaf: .column($0.name)))
    }
  }

  func expression(_ random: inout SplitMix64, _ type: ExprType, depth: Int) -> Expr {
    switch type {
    case .number: number(&random, depth: depth)
    case .text: text(&random, depth: depth)
    case .boolean: condition(&random, depth: depth)
    }
  }

  // MARK: Names

  /// Returns a named value of a type, or a literal if there is none.
  func leaf(_ random: inout SplitMix64, _ type: ExprType) -> Expr {
    let roll = random.int(0...99)
    if allowsAssociations, roll < 15, let column = toOneColumn(&random, type) { return column }
    if allowsAssociations, roll < 38, let aggregate = aggregate(&random, type) { return .path(aggregate) }
    if roll < 46, let parent = place.ancestors.first,
      case .path(var path)? = random.pick(Self.columns(of: parent, type))
    {
      path.parents = 1
      return .path(path)
    }
    if roll < 50, let column = parentToOneColumn(&random, type) { return column }
    if roll < 54, let via = place.via,
      let column = random.pick(via.columns.filter { !$0.isOdd && ExprType($0.kind) == type })
    {
      return .path(Path(leaf: .via(column.name)))
    }
    if roll < 64, let named = random.pick(place.named.filter { $0.type == type }) {
      return .path(Path(leaf: .named(named.name)))
    }
    return random.pick(Self.columns(of: place.table, type)) ?? literal(&random, type)
  }

  func literal(_ random: inout SplitMix64, _ type: ExprType) -> Expr {
    switch type {
    case .boolean: return .boolean(random.chance(50))
    case .number:
      return .value(
        random.chance(75) ? .integer(Int64(random.int(-1...9))) : .real(Double(random.int(-2...16)) / 4))
    case .text: return .value(.text(random.pick(DataGenerator.words) ?? ""))
    }
  }

  private func toOneColumn(_ random: inout SplitMix64, _ type: ExprType) -> Expr? {
    guard case (let hops, let place)? = toOne(&random) else { return nil }
    guard case .path(var path)? = random.pick(Self.columns(of: place.table, type)) else { return nil }
    path.hops = hops
    return .path(path)
  }

  /// A column of a to-one association of the record above.
  private func parentToOneColumn(_ random: inout SplitMix64, _ type: ExprType) -> Expr? {
    guard let parent = place.ancestors.first,
      let association = random.pick(parent.associations.filter { !$0.isToMany }),
      let table = schema.table(association.destination),
      case .path(var path)? = random.pick(Self.columns(of: table, type))
    else { return nil }
    (path.hops, path.parents) = ([association.key], 1)
    return .path(path)
  }

  /// One or two to-one associations, and where they lead.
  func toOne(_ random: inout SplitMix64) -> ([String], Place)? {
    var hops: [String] = []
    var place = place
    repeat {
      let found = place.associations.filter { !$0.association.isToMany && $0.node?.recursion == nil }
      guard let next = random.pick(found), let table = schema.table(next.association.destination) else {
        break
      }
      hops.append(next.key)
      place = Place(table: table, node: next.node)
    } while random.chance(30) && hops.count < 2
    return hops.isEmpty ? nil : (hops, place)
  }

  /// Returns an aggregate over some or all records of an association, here or behind a to-one association.
  func aggregate(_ random: inout SplitMix64, _ type: ExprType) -> Path? {
    var (hops, place) = ([] as [String], place)
    if random.chance(20), case (let way, let end)? = toOne(&random) { (hops, place) = (way, end) }
    let found = place.associations.filter { $0.association.isToMany && $0.node?.recursion == nil }
    guard let (key, association, node) = random.pick(found),
      let table = schema.table(association.destination)
    else { return nil }
    // Behind a to-one association `../` refers to the record of that association.
    let inner = Place(table: table, node: node, ancestors: [place.table] + place.ancestors)
    var generator = ExpressionGenerator(schema: schema, place: inner, isPlain: isPlain)
    generator.allowsAssociations = random.chance(30)
    var aggregate = AssociationAggregate(key: key, function: "count")
    for _ in 0..<(random.pick([0, 0, 0, 1, 1, 2]) ?? 0) {
      aggregate.filters.append(generator.condition(&random, depth: 1))
    }
    switch type {
    case .boolean: aggregate.function = "isEmpty"
    case .text:
      guard let column = random.pick(Self.columns(of: table, .text)) else { return nil }
      aggregate.function = random.chance(50) ? "min" : "max"
      aggregate.argument = column
    case .number:
      guard random.chance(60) else { break }
      aggregate.function = random.pick(["min", "max", "average", "sum", "total"]) ?? "sum"
      aggregate.argument =
        random.chance(60)
        ? random.pick(Self.columns(of: table, .number)) : generator.number(&random, depth: 1)
      if aggregate.argument == nil { aggregate.function = "count" }
    }
    return Path(hops: hops, leaf: .aggregate(aggregate))
  }
}
