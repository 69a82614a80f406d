import OracleValues

/// Generates random valid requests.
struct RequestGenerator {
  let schema: DatabaseSchema
  var random: SplitMix64
  private var nameCount = 0
  /// The number of nodes that may still be added.
  private var budget = 0
  /// Whether requests only use features that GRDB has too.
  private var isPlain = false

  init(schema: DatabaseSchema, random: SplitMix64) {
    self.schema = schema
    self.random = random
  }

  mutating func request() -> Request {
    nameCount = 0
    budget = random.pick([0, 1, 2, 3, 4, 6, 9]) ?? 0
    guard let start = random.pick(schema.tables.filter { !$0.isRemoved }).flatMap({ schema.table($0.name) })
    else {
      return Request(table: "")
    }
    var request = Request(table: start.name)
    var (table, association, isSingle) = (start, nil as AssociationSchema?, false)
    isPlain = random.chance(30)
    if !isPlain, random.chance(15) { (table, association, isSingle) = addPath(to: &request, from: start) }
    var names: Set<String> = []
    let place = Place(table: table, via: association.flatMap { joinTable(of: $0) })
    request.root = node(Node(), place: place, isToMany: !isSingle, depth: 0, names: &names)
    request.count = !isSingle && random.chance(10)
    request.isLines = !isSingle && random.chance(5)
    return request
  }

  /// The table that `via` refers to for an association through others.
  private func joinTable(of association: AssociationSchema) -> TableSchema? {
    association.steps.count > 1 ? association.steps.last.flatMap { schema.table($0.origin) } : nil
  }

  private mutating func name() -> String {
    nameCount += 1
    return "n\(nameCount)"
  }

  // MARK: Paths

  private mutating func addPath(
    to request: inout Request, from start: TableSchema
  ) -> (TableSchema, AssociationSchema?, Bool) {
    var (table, association, isSingle) = (start, nil as AssociationSchema?, false)
    repeat {
      if !isSingle {
        guard table.viewOf == nil else { break }
        request.path.append(record(of: table))
        (association, isSingle) = (nil, true)
      } else if let next = random.pick(table.associations), let destination = schema.table(next.destination) {
        request.path.append(.association(next.key))
        (table, association, isSingle) = (destination, next, !next.isToMany)
      }
    } while random.chance(65) && request.path.count < 5
    return (table, association, isSingle)
  }

  private mutating func record(of table: TableSchema) -> Request.Segment {
    let row = random.pick(table.rows)
    let uniques = table.uniques.filter { names in
      names.allSatisfy { name in
        // In a URL, a number and the text that looks like it are the same.
        table.column(name)?.isOdd == false
          && table.position(of: name).map { row?[$0].isNull == false } ?? false
      }
    }
    let named = random.chance(30) ? random.pick(uniques + [table.key]) : nil
    let columns = (named ?? table.key).map { name -> (column: String, value: Value) in
      let value = table.position(of: name).flatMap { row?[$0] }
      return (name, random.chance(3) ? .integer(77) : value ?? .integer(1))
    }
    return .record(columns, isNamed: named != nil)
  }

  // MARK: Trees

  /// Returns a node with everything below it.
  ///
  /// - Parameters:
  ///   - names: The members of the record that it belongs to.
  ///   - isBelowJoined: Whether the parent records are joined to-many ones.
  ///   - isHidden: Whether nothing here or below may be part of the result.
  private mutating func node(
    _ start: Node, place: Place, isToMany: Bool, depth: Int, names: inout Set<String>,
    isBelowJoined: Bool = false,
    isHidden: Bool = false
  ) -> Node {
    var node = start
    let isShaped = node.isIncluded && node.recursion == nil && isToMany
    let isGrouped = !isPlain && isShaped && random.chance(10)
    let isBare =
      !isPlain && !isGrouped && node.isIncluded && node.recursion == nil && depth > 0 && random.chance(8)
    var own: Set<String> = node.isIncluded ? (node.recursion == nil ? [] : [node.key]) : names
    let isBelowJoined = !node.isIncluded && (isBelowJoined || isToMany)
    while budget > 0, depth < 5, node.isIncluded || !isPlain, node.children.count < 3,
      random.chance(depth == 0 ? 85 : 50)
    {
      budget -= 1
      let child = child(
        of: node, place: place, depth: depth, names: &own, isBelowJoined: isBelowJoined,
        isHidden: isHidden || isGrouped || isBare)
      if let child { node.children.append(child) }
    }
    // The order of the result is that of the request: joined nodes come last.
    node.children = node.children.filter(\.isReturned) + node.children.filter { !$0.isReturned }
    var place = place
    place.node = node
    var parameters = NodeParameters(schema: schema, place: place, random: random, nameCount: nameCount)
    if isPlain {
      parameters.addPlain(to: &node, isToMany: isToMany)
    } else {
      parameters.add(
        to: &node, isToMany: isToMany || isBelowJoined, isGrouped: isGrouped, isBare: isBare, taken: own)
    }
    (random, nameCount) = (parameters.random, parameters.nameCount)
    if !node.isIncluded { names = own }
    return node
  }

  private mutating func child(
    of parent: Node, place: Place, depth: Int, names: inout Set<String>, isBelowJoined: Bool, isHidden: Bool
  ) -> Node? {
    guard let association = random.pick(place.table.associations),
      let destination = schema.table(association.destination)
    else { return nil }
    var child = Node(key: association.key, association: association.key)
    child.isIncluded = !isHidden && random.chance(80)
    child.isRequired = random.chance(25)
    if isPlain {
      // GRDB: "Not implemented: chaining a required association behind an optional association".
      child.isIncluded = association.isToMany || random.chance(80)
      child.isRequired = child.isRequired && (depth == 0 || (!association.isToMany && parent.isRequired))
    }
    let isTaken = names.contains(child.key) || parent.children.contains { $0.key == child.key }
    if isTaken || random.chance(20) { child.key = newKey(place.table, names, parent) }
    if !isPlain, destination.name == place.table.name, child.isIncluded, !isBelowJoined, random.chance(35) {
      addRecursion(to: &child, association, depth: depth + 1)
    }
    if child.isIncluded { names.insert(child.key) }
    // Above a record of a recursion there is another one at each level.
    let isLevel = child.recursion != nil || parent.recursion != nil
    let inner = Place(
      table: destination, ancestors: isBelowJoined ? [] : [place.table] + (isLevel ? [] : place.ancestors),
      via: isBelowJoined ? nil : joinTable(of: association))
    return node(
      child, place: inner, isToMany: association.isToMany || isBelowJoined, depth: depth + 1, names: &names,
      isBelowJoined: isBelowJoined, isHidden: isHidden)
  }

  /// Returns a key for the request, occasionally that of another association, which it then hides.
  private mutating func newKey(_ table: TableSchema, _ names: Set<String>, _ parent: Node) -> String {
    let others = table.associations.map(\.key).filter { key in
      !names.contains(key) && !parent.children.contains { $0.key == key || $0.association == key }
    }
    if random.chance(10), let other = random.pick(others) { return other }
    return name() + "s"
  }

  private mutating func addRecursion(to child: inout Node, _ association: AssociationSchema, depth: Int) {
    let most = 8 - depth + 1
    if association.steps.count > 1 {
      child.recursion = random.int(1...2)
    } else if random.chance(40) {
      (child.recursion, child.writesLevels) = (most, false)
    } else {
      child.recursion = random.int(1...min(most, 4))
    }
  }
}
