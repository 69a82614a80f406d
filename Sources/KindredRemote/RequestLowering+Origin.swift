import KindredModel
import KindredSQLSyntax

/// The record that a request for its associated records starts from.
extension RequestLowering {
  /// Returns the conditions of the records that a step leads to from a record with these values.
  static func conditions(_ step: AssociationStep, _ values: [String: SQLValue]) -> [Expression] {
    zip(step.originColumns, step.destinationColumns).map { origin, destination in
      guard let value = values[origin], value != .null else {
        return Expression(.boolean(false), at: Origin())
      }
      let column = Expression(.program(.column(destination)), at: Origin())
      return Expression(.binary(.equal, column, Expression(.value(value), at: Origin())), at: Origin())
    }
  }

  /// Returns the places of the records between a record and the records that steps lead to, where each of the latter
  /// has one of each: the last place is that of the first step.
  ///
  /// - Returns: Nil if it may have several, or the server has no key for the way back.
  mutating func pivots(
    _ steps: [AssociationStep], to root: RequestPlace
  ) throws -> [RequestPlace]? {
    var (places, place) = ([RequestPlace](), root)
    for (step, pivot) in zip(steps.dropFirst().reversed(), root.node.rows.pivots.reversed()) {
      guard let back = place.resource.association(of: [step.reversed]), back.cardinality == .toOne,
        pivot.children.isEmpty
      else { return nil }
      place = RequestPlace(
        pivot, key: back.key, resource: try schema.resource(of: step.origin), above: place,
        step: .one(key: back.key), association: back, names: MemberNames())
      places.append(place)
    }
    for place in places { for alias in place.node.rows.aliases { setAlias(alias, place) } }
    return places
  }

  /// Returns the path of the records that several steps lead to: `/authors/1/awards`.
  mutating func path(
    _ steps: ArraySlice<AssociationStep>, _ values: [String: SQLValue], to root: RequestPlace
  ) throws -> RequestPath {
    guard let first = steps.first else { throw Self.missing(steps) }
    // Up to one record that the values identify, the path can begin there.
    let isUp = first.direction == .belongsTo
    let start = try schema.resource(of: isUp ? first.destination : first.origin)
    let rest = isUp ? steps.dropFirst() : steps
    let names = isUp ? first.destinationColumns : first.originColumns
    let key = start.table.primaryKey.map { start.table.columns[$0].name }
    let pivots = root.node.rows.pivots
    guard let known = start.association(of: rest), key.count == names.count, !isUp || pivots[0].isPlain,
      rest.count < 2 || rest.count == steps.count
    else { throw Self.missing(steps) }
    let columns = try key.map { name in
      guard let index = names.firstIndex(where: { $0.equalsIgnoringCase(name) }) else {
        throw Self.missing(steps)
      }
      var value = values[first.originColumns[index]] ?? .null
      if start.table.column(named: name)?.isOfUUIDs ?? false { value = value.withUUIDAsText }
      return RequestPath.KeyColumn(
        name: name, literals: [literals.number(of: .text(try value.textOfKey()))])
    }
    try addVia(Array(rest), to: root)
    return RequestPath(resource: start.name, segments: [.record(columns), .association(known)])
  }
}

extension SQLValue {
  /// The value as a segment of a path.
  fileprivate func textOfKey() throws -> String {
    switch self {
    case .integer(let value): String(value)
    case .text(let text): text
    case .null, .real, .blob:
      throw RemoteError.notExpressible("request(for:) through a key that is neither an integer nor a text")
    }
  }
}
