import Kindred
import KindredModel
import KindredPlanning

/// How the arrays of an answer become rows.
final class RemoteRowLayout: Sendable {
  /// A member of a record's array.
  indirect enum Member: Sendable {
    /// The value with this index in the row.
    case value(Int)
    /// A value that no row shows.
    case hidden
    /// The record of a to-one association, whose values are those of the same row.
    case record([Member])
    case collection(Collection)
  }

  /// Records that are prefetched for a record.
  struct Collection: Sendable {
    let key: String
    /// The scopes that lead to the record.
    let path: [String]
    /// Whether the server knows that there is at most one, and sends it without an array around it.
    let isSingle: Bool
    let rows: RemoteRowLayout
  }

  let layout: Kindred.RowLayout
  let members: [Member]
  /// The number of a row's values.
  let valueCount: Int

  private init(_ layout: KindredPlanning.RowLayout, _ members: [Member]) {
    // An expression without a name isn't called by its text in the URL: programs find it by its position.
    self.layout = Kindred.RowLayout(layout, names: [])
    self.members = members
    valueCount = layout.valueCount
  }

  /// Creates the layout of a request's rows.
  ///
  /// - Parameters:
  ///   - plan: The plan of the request, whose layouts it has on a file, too.
  ///   - root: The place of the root's records.
  convenience init(_ plan: Plan, root: RequestPlace) {
    self.init(plan, node: 0, root)
  }

  private convenience init(_ plan: Plan, node: Int, _ place: RequestPlace) {
    let layout = plan.nodes[node].layout
    self.init(layout, Self.members(of: place, layout, [], plan))
  }

  private static func members(
    of place: RequestPlace, _ layout: KindredPlanning.RowLayout, _ path: [String], _ plan: Plan
  ) -> [Member] {
    var members = layout.columns.map { Member.value($0.place) }
    if place.wayName != nil { members.append(.hidden) }
    var scopes = layout.scopes[...]
    var collections = layout.prefetched[...]
    for child in place.children where child.node.isReturned {
      if child.node.rows.isPrefetched {
        guard let collection = collections.popFirst() else { continue }
        members.append(
          .collection(
            Collection(
              key: collection.key, path: path, isSingle: child.isSingle,
              rows: RemoteRowLayout(plan, node: collection.node, child))))
      } else if let scope = scopes.popFirst() {
        let inner = Self.members(of: child, scope.layout, path + [scope.key], plan)
        if child.node.isIncluded { members.append(.record(inner)) } else { members += inner }
      }
    }
    return members
  }
}

extension RequestPlace {
  /// Whether the server sends at most one record.
  fileprivate var isSingle: Bool { (hops + [self]).allSatisfy { $0.association?.cardinality == .toOne } }
}

extension KindredPlanning.RowLayout {
  /// The number of values of which it shows some.
  fileprivate var valueCount: Int {
    max((columns.map(\.place).max() ?? -1) + 1, scopes.map(\.layout.valueCount).max() ?? 0)
  }
}
