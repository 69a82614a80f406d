/// The requests that GRDB 7 does not support, or answers wrongly; they are only compared with the naive evaluation.
extension RandomRequest {
  /// The reason why GRDB is not compared; nil if it is.
  package var reasonAgainstGRDB: String? { chain.reasonAgainstGRDB(.root) }
}

extension RandomRequest {
  /// Whether the naive evaluation, which repeats a record for each one that is joined to it, may differ: where there are
  /// aggregates, Kindred and GRDB make one row of these.
  package var hasAggregatesBesideJoins: Bool { chain.hasAggregatesBesideJoins }
}

extension Chain {
  fileprivate var hasAggregatesBesideJoins: Bool {
    var (hasAggregates, hasJoins) = (false, false)
    for call in calls {
      switch call {
      case .aggregate(let aggregate, _), .having(let aggregate):
        hasAggregates = true
        if aggregate.uses.contains(where: \.use.chain.hasAggregatesBesideJoins) { return true }
      case .join(let joining, _): hasJoins = hasJoins || joining != .includingAll
      case .annotateAssociated: hasJoins = true
      default: break
      }
      if call.use?.chain.hasAggregatesBesideJoins ?? false { return true }
    }
    return hasAggregates && hasJoins
  }
}

extension Chain {
  fileprivate enum Place {
    case root, required, optional, collection, aggregated
  }

  fileprivate func reasonAgainstGRDB(_ place: Place) -> String? {
    let aggregates = calls.flatMap { call -> [(use: AssociationUse, function: Aggregate.Function)] in
      switch call {
      case .aggregate(let aggregate, _), .having(let aggregate): aggregate.uses
      default: []
      }
    }
    let joins = calls.compactMap { call -> (joining: Joining, use: AssociationUse)? in
      switch call {
      case .join(let joining, let use): (joining, use)
      case .annotateAssociated(let isRequired, let use, _):
        (isRequired ? .joiningRequired : .joiningOptional, use)
      default: nil
      }
    }
    if !aggregates.isEmpty {
      // GRDB joins the counted records to the other joined ones, which multiplies them.
      if joins.contains(where: { $0.joining != .includingAll }) { return "aggregates beside joins" }
      if place == .collection { return "aggregates of records that several parents share" }
      let multiplying: Set<Aggregate.Function> = [.sum, .total, .average]
      if aggregates.count > 1, aggregates.contains(where: { multiplying.contains($0.function) }) {
        return "sums beside other aggregates"
      }
      if aggregates.contains(where: { multiplying.contains($0.function) && $0.use.hasPivots }) {
        return "sums of records that are reached more than once"
      }
    }
    if calls.contains(where: \.joinsTally),
      place == .collection || calls.contains(where: \.fetchesCollections)
    {
      return "common table expressions where collections are fetched"
    }
    if calls.contains(where: { if case .select = $0 { true } else { false } }),
      calls.contains(where: \.fetchesCollections)
    {
      return "a selection without the columns that collections need is a fatal error"
    }
    if joins.contains(where: {
      $0.joining != .includingAll && !$0.joining.isIncluded && $0.use.fetchesCollections
    }) {
      return "collections of what is joined and not included are those of all rows"
    }
    for (index, call) in calls.enumerated() {
      switch call {
      case .reversed where !calls[..<index].contains { if case .order = $0 { true } else { false } }:
        return "the reverse of no order, which is that of the primary key"
      case .limit: return "limits of collections"
      case .greatest, .distinct: return "groups and different rows in collections are of all parents together"
      default: break
      }
    }
    if place == .collection, calls.contains(where: \.multipliesRows) {
      return "joins below a collection meet with the way back from it"
    }
    if calls.contains(where: \.fetchesCollections), calls.contains(where: \.multipliesRows) {
      return "collections beside joins that multiply rows are multiplied too"
    }
    if calls.contains(where: \.fetchesCollections),
      joins.contains(where: { !$0.use.chain.usedAliases.isEmpty })
    {
      return "aliases in joins, which are repeated for collections"
    }
    for (joining, use) in joins {
      if joining == .includingAll, !use.chain.usedAliases.isSubset(of: use.chain.attachedAliases) {
        return "aliases across collections"
      }
      if place == .optional, joining.isRequired { return "required behind optional" }
      let inner: Place = joining == .includingAll ? .collection : joining.isRequired ? .required : .optional
      if let reason = use.chain.reasonAgainstGRDB(inner) { return reason }
    }
    let collections = joins.filter { $0.joining == .includingAll }.map(\.use)
    if collections.contains(where: \.hasPivots), collections.count > 1 {
      return "direct and through associations of one base"
    }
    return aggregates.lazy.compactMap { $0.use.chain.reasonAgainstGRDB(.optional) }.first
  }
}

extension AssociationUse {
  fileprivate var fetchesCollections: Bool { chain.calls.contains(where: \.fetchesCollections) }

  /// Whether it leads through other records, or joins any.
  fileprivate var hasPivots: Bool {
    let isThrough = TypedModel.library.associations.contains { association in
      if association.name == name, case .through = association.kind { true } else { false }
    }
    return isThrough || chain.calls.contains { if case .join = $0 { true } else { false } }
  }
}

extension Call {
  /// Whether the common table expression is joined here or below.
  var joinsTally: Bool {
    use.map { $0.name == "tally" || $0.chain.calls.contains(where: \.joinsTally) } ?? false
  }

  /// Whether a record is joined to several others.
  fileprivate var multipliesRows: Bool {
    if case .join(.includingAll, _) = self { return false }
    guard let use else { return false }
    return TypedModel.library.associations.contains { $0.name == use.name && $0.isToMany }
      || use.chain.calls.contains(where: \.multipliesRows)
  }

  /// Whether a joined record has a collection.
  fileprivate var fetchesCollections: Bool {
    if case .join(.includingAll, _) = self { true } else { use?.fetchesCollections ?? false }
  }
}

extension Chain {
  /// The aliases that are given to records here or below.
  var attachedAliases: Set<Int> {
    calls.reduce(into: []) { aliases, call in
      if case .aliased(let number) = call { aliases.insert(number) }
      if let use = call.use { aliases.formUnion(use.chain.attachedAliases) }
    }
  }

  /// The aliases that conditions here or below refer to.
  var usedAliases: Set<Int> {
    calls.reduce(into: []) { aliases, call in
      if case .filter(let condition) = call { aliases.formUnion(condition.aliases) }
      if let use = call.use { aliases.formUnion(use.chain.usedAliases) }
    }
  }
}

extension Call {
  /// The joined association; nil for other calls.
  var use: AssociationUse? {
    switch self {
    case .join(_, let use), .annotateAssociated(_, let use, _): use
    default: nil
    }
  }
}

extension Condition {
  fileprivate var aliases: Set<Int> {
    switch self {
    case .value(let operand, _, _), .isNull(let operand, _), .among(let operand, _):
      Set([operand.alias].compactMap(\.self))
    case .operands(let left, _, let right): Set([left.alias, right.alias].compactMap(\.self))
    case .exists(let number): [number]
    case .both(let left, let right), .either(let left, let right): left.aliases.union(right.aliases)
    case .not(let condition): condition.aliases
    }
  }
}
