/// What random requests found in Kindred, and is not mended yet: requests that meet with it are passed over.
extension RandomRequest {
  /// What is wrong; nil for most requests.
  package var openFinding: String? { chain.openFinding(isInCollection: false) }
}

extension Chain {
  fileprivate func openFinding(isInCollection: Bool) -> String? {
    for call in calls {
      switch call {
      case .aggregate(let aggregate, _), .having(let aggregate):
        if isInCollection,
          aggregate.uses.contains(where: { $0.use.chain.calls.contains(where: \.joinsTally) })
        {
          return
            "a common table expression, joined to what an aggregate in a collection is of, is not defined there"
        }
      default: break
      }
      guard let use = call.use else { continue }
      let isOptional =
        switch call {
        case .join(let joining, _): joining == .includingOptional || joining == .joiningOptional
        case .annotateAssociated(let isRequired, _, _): !isRequired
        default: false
        }
      if isOptional, use.chain.requiresRecords,
        !use.chain.usedAliases.isSubset(of: use.chain.attachedAliases)
      {
        return
          "a condition behind an optional join, on what is required there, can't speak of records before it"
      }
      let isCollection = if case .join(.includingAll, _) = call { true } else { false }
      if let finding = use.chain.openFinding(isInCollection: isInCollection || isCollection) {
        return finding
      }
    }
    return nil
  }

  /// Whether a record is required that is joined here, or below.
  private var requiresRecords: Bool {
    calls.contains { call in
      switch call {
      case .join(.includingAll, _): false
      case .join(let joining, let use): joining.isRequired || use.chain.requiresRecords
      case .annotateAssociated(let isRequired, let use, _): isRequired || use.chain.requiresRecords
      default: false
      }
    }
  }
}
