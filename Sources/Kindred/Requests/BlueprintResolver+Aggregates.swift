import KindredModel

extension BlueprintResolver {
  /// Returns the path of an aggregate's records, of which only those count that the request joins, if it joins records
  /// under the same keys.
  func withJoinedConditions(_ path: AssociationPath) -> AssociationPath {
    var (path, joined) = (path, joined)
    for index in path.links.indices {
      let isLast = index == path.links.indices.last
      let link = AssociationPath(path.links[index], key: isLast ? path.key : path.links[index].key)
      guard !link.destination.hasExpression,
        let child = joined.first(where: { $0.key == link.key.joined && $0.path.leadsTheSameWay(as: link) })
      else { break }
      joined = child.blueprint.children.filter { !$0.isPrefetched }
      let next = isLast ? nil : index + 2 == path.links.count ? path.key : path.links[index + 1].key
      path.links[index].blueprint.addConditions(
        of: child.blueprint, joining: joined.filter { $0.key != next?.joined })
    }
    return path
  }
}

extension RequestBlueprint {
  /// Adds the conditions of another blueprint of the same records, and the requests joined to these.
  fileprivate mutating func addConditions(of other: RequestBlueprint, joining joined: [AssociatedRequest]) {
    filters += other.filters
    aliases += other.aliases.filter { !aliases.contains($0) }
    commonTables += other.commonTables
    for child in joined { add(child) }
  }

  /// Whether each record has one row although several records are joined to it, because the request is about them only
  /// by its aggregates.
  var hidesRepetitions: Bool {
    hasAggregates && group.isEmpty && children.contains(where: \.repeatsRecord)
      && !children.contains(where: \.showsRepetition)
  }
}

extension AssociatedRequest {
  private var isJoined: Bool { !isPrefetched }

  /// Whether the record above may have several rows.
  fileprivate var repeatsRecord: Bool {
    isJoined && (!path.destination.isToOne || blueprint.children.contains(where: \.repeatsRecord))
  }

  /// Whether the rows of one record above differ.
  fileprivate var showsRepetition: Bool {
    isJoined && (path.destination.isToOne ? blueprint.children.contains(where: \.showsRepetition) : isShown)
  }

  /// Whether a row shows a record of the request.
  private var isShown: Bool {
    switch inclusion {
    case .joined(_, let isIncluded): isIncluded || blueprint.children.contains(where: \.isShown)
    case .prefetched: false
    }
  }
}

extension AssociationLink {
  /// Whether the records belong together by an expression, which can only be compared when the request runs.
  fileprivate var hasExpression: Bool {
    if case .on = condition { true } else { false }
  }
}
