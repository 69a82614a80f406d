import KindredSQLSyntax

/// The tree that a request or an association builds, which becomes a request of the engine when it runs.
///
/// It is a value that doesn't refer to a database, so building one reads nothing.
public struct RequestBlueprint: Sendable {
  /// The name of the table.
  var tableName: String
  /// The selection of the record type.
  var defaultSelection: [SQLSelection]
  /// The selection of the request; nil for the default one.
  var selection: [SQLSelection]?
  /// The columns and expressions that are selected in addition.
  var annotations: [SQLSelection] = []
  var filters: [SQLExpression] = []
  var ordering = RequestOrdering()
  var group: [SQLExpression] = []
  /// Whether the records are also grouped by the primary key, which only the schema knows.
  var groupsByPrimaryKey = false
  var havings: [SQLExpression] = []
  /// Whether it is annotated with aggregates of associations, or filtered by them.
  var hasAggregates = false
  var isDistinct = false
  var limit: Int?
  var offset: Int?
  /// The associated requests, by their keys.
  var children: [AssociatedRequest] = []
  var aliases: [TableAliasBase] = []
  var commonTables: [CommonTableBlueprint] = []
  /// The record that `request(for:)` starts from.
  var origin: RequestOrigin?
  /// Whether it has been refined in a way that associations support only in `including(all:)`.
  var isForCollectionsOnly = false
  /// An error found while building the request, thrown when it runs.
  var failure: AssociationError?

  /// Whether limits or groups change which records there are, so that no aggregate can be computed from them.
  var isLimitedOrGrouped: Bool {
    limit != nil || isDistinct || !group.isEmpty || groupsByPrimaryKey || !havings.isEmpty
  }
}

extension RequestBlueprint {
  /// Creates a blueprint of all records of a type.
  init<Record: TableRecord>(_ type: Record.Type) {
    self.init(
      tableName: Record.databaseTableName,
      defaultSelection: Record.databaseSelection.map(\.sqlSelection))
  }
}

/// The order of a request: explicit terms, or the primary key.
struct RequestOrdering: Sendable {
  var terms: [SQLOrdering] = []
  /// Whether the terms are the columns of the primary key, which only the schema knows.
  var byPrimaryKey = false
  var isReversed = false
  /// Whether the primary key follows the terms.
  var isStable = false

  var isEmpty: Bool { terms.isEmpty && !byPrimaryKey && !isStable }
}

/// A record and the association that leads from it.
struct RequestOrigin: Sendable {
  /// The values of the record's columns.
  var values: [String: SQLValue]
  var path: AssociationPath
  /// The error that encoding the record threw, thrown when the request runs.
  var failure: (any Error)?
}

/// An associated request within a request.
struct AssociatedRequest: Sendable {
  enum Inclusion: Sendable, Equatable {
    /// Joined to the record: a row for each pair.
    case joined(isRequired: Bool, isIncluded: Bool)
    /// Fetched separately as a collection of each record.
    case prefetched

    /// Whether the associated records appear in the result.
    fileprivate var isSelecting: Bool {
      switch self {
      case .joined(_, let isIncluded): isIncluded
      case .prefetched: true
      }
    }
  }

  var key: String
  var inclusion: Inclusion
  /// One link if the records are joined, the whole path if they are prefetched.
  var path: AssociationPath

  /// How the associated records are selected, filtered and ordered.
  var blueprint: RequestBlueprint {
    get { path.destination.blueprint }
    set { path.destination.blueprint = newValue }
  }

  var isPrefetched: Bool { inclusion == .prefetched }
}

// MARK: - Associated records

extension RequestBlueprint {
  /// Joins the records of an association, which gives a row for each pair.
  mutating func join(_ path: AssociationPath, isRequired: Bool, isIncluded: Bool) {
    if path.links.contains(where: \.blueprint.isForCollectionsOnly) {
      failure = failure ?? .onlyForCollections
    }
    // From the last link to the first, each becomes a child of the one before.
    var links = path.links
    guard var last = links.popLast() else { return }
    if !isIncluded { (last.blueprint.selection, last.blueprint.annotations) = (nil, []) }
    var child = AssociatedRequest(
      key: path.key.joined, inclusion: .joined(isRequired: isRequired, isIncluded: isIncluded),
      path: AssociationPath(last, key: path.key))
    while let pivot = links.popLast() {
      var above = AssociatedRequest(
        key: pivot.key.joined, inclusion: .joined(isRequired: isRequired, isIncluded: false),
        path: AssociationPath(pivot, key: pivot.key))
      above.blueprint.add(child)
      child = above
    }
    add(child)
  }

  /// Prefetches the records of an association, as a collection of each record.
  mutating func prefetch(_ path: AssociationPath) {
    add(AssociatedRequest(key: path.key.prefetched, inclusion: .prefetched, path: path))
  }

  /// Adds an associated request, or merges it with an existing one of the same key.
  mutating func add(_ child: AssociatedRequest) {
    let index = children.firstIndex { $0.key == child.key && $0.isPrefetched == child.isPrefetched }
    if let index {
      children[index].merge(child)
    } else {
      children.append(child)
    }
  }

  /// Removes the order of the records and of those joined to them.
  mutating func removeOrder() {
    ordering = RequestOrdering()
    for index in children.indices where !children[index].isPrefetched {
      children[index].blueprint.removeOrder()
    }
  }

  /// Merges another blueprint of the same records: all filters apply, and the last order wins.
  fileprivate mutating func merge(_ other: RequestBlueprint) {
    filters += other.filters
    havings += other.havings
    if !other.ordering.isEmpty { ordering = other.ordering }
    if !other.group.isEmpty { group = other.group }
    groupsByPrimaryKey = groupsByPrimaryKey || other.groupsByPrimaryKey
    hasAggregates = hasAggregates || other.hasAggregates
    isDistinct = isDistinct || other.isDistinct
    (limit, offset) = other.limit == nil ? (limit, offset) : (other.limit, other.offset)
    for alias in other.aliases where !aliases.contains(alias) { aliases.append(alias) }
    commonTables += other.commonTables
    isForCollectionsOnly = isForCollectionsOnly || other.isForCollectionsOnly
    failure = failure ?? other.failure
    for child in other.children { add(child) }
  }
}

extension AssociatedRequest {
  /// Merges another use of the same association.
  fileprivate mutating func merge(_ other: AssociatedRequest) {
    guard path.leadsTheSameWay(as: other.path) else {
      blueprint.failure = blueprint.failure ?? .ambiguousKey(key)
      return
    }
    if case .joined(let isRequired, let isIncluded) = inclusion,
      case .joined(let isOtherRequired, let isOtherIncluded) = other.inclusion
    {
      inclusion = .joined(
        isRequired: isRequired || isOtherRequired, isIncluded: isIncluded || isOtherIncluded)
    }
    for index in path.links.indices {
      path.links[index].merge(other.path.links[index].condition)
      path.links[index].blueprint.merge(other.path.links[index].blueprint)
    }
    // The last selection wins, even the default one; joining without including selects nothing.
    guard other.inclusion.isSelecting else { return }
    (blueprint.selection, blueprint.annotations) = (other.blueprint.selection, other.blueprint.annotations)
  }
}
