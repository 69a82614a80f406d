import KindredAssociations
import KindredSQLSyntax

/// What a request, or an association, says of its records: a tree that becomes a request of the engine when it runs.
///
/// It is a value without a database: building one reads nothing.
public struct RequestBlueprint: Sendable {
  /// The table.
  var tableName: String
  /// What is selected unless the request says otherwise.
  var defaultSelection: [SQLSelection]
  /// Nil for the default one.
  var selection: [SQLSelection]?
  /// What is selected after that.
  var annotations: [SQLSelection] = []
  var filters: [SQLExpression] = []
  var ordering = RequestOrdering()
  var group: [SQLExpression] = []
  var havings: [SQLExpression] = []
  var isDistinct = false
  var limit: Int?
  var offset: Int?
  /// The associated records, by their keys.
  var children: [AssociatedRequest] = []
  var aliases: [TableAlias] = []
  var commonTables: [CommonTableBlueprint] = []
  /// The record from which the records are associated.
  var origin: RequestOrigin?
  /// Whether an association has been refined in a way that only `including(all:)` allows.
  var isForCollectionsOnly = false
  /// What can't be, to be thrown when the request runs.
  var failure: AssociationError?

  /// Whether it is about other records than its filters say, so that no aggregate can be of it.
  var isLimitedOrGrouped: Bool {
    limit != nil || isDistinct || !group.isEmpty || !havings.isEmpty
  }

  init(tableName: String, defaultSelection: [SQLSelection]) {
    self.tableName = tableName
    self.defaultSelection = defaultSelection
  }

  /// All records of a type.
  init<Record: TableRecord>(_ type: Record.Type) {
    self.init(
      tableName: Record.databaseTableName,
      defaultSelection: Record.databaseSelection.map(\.sqlSelection))
  }
}

/// The order of a request: terms of its own, or those of its primary key.
struct RequestOrdering: Sendable {
  var terms: [SQLOrdering] = []
  /// Terms that depend on the schema.
  var byPrimaryKey = false
  var isReversed = false

  var isEmpty: Bool { terms.isEmpty && !byPrimaryKey }
}

/// A record, and the association that leads from it.
struct RequestOrigin: Sendable {
  /// The columns of the record.
  var values: [String: SQLValue]
  var path: AssociationPath
  /// What encoding the record threw, to be thrown when the request runs.
  var failure: (any Error)?
}

/// What a request says of the records that are associated with its own.
struct AssociatedRequest: Sendable {
  enum Inclusion: Sendable, Equatable {
    /// A row for each pair.
    case joined(isRequired: Bool, isIncluded: Bool)
    /// A collection in each record.
    case prefetched

    /// Whether the records are in the result.
    fileprivate var isSelecting: Bool {
      switch self {
      case .joined(_, let isIncluded): isIncluded
      case .prefetched: true
      }
    }
  }

  var key: String
  var inclusion: Inclusion
  /// One link where records are joined; all of them where they are prefetched.
  var path: AssociationPath

  /// The records.
  var blueprint: RequestBlueprint {
    get { path.destination.blueprint }
    set { path.destination.blueprint = newValue }
  }

  var isPrefetched: Bool { inclusion == .prefetched }
}

// MARK: - Associated records

extension RequestBlueprint {
  /// Joins the records of an association, each pair being a row.
  mutating func join(_ path: AssociationPath, isRequired: Bool, isIncluded: Bool) {
    if path.links.contains(where: \.blueprint.isForCollectionsOnly) {
      failure = failure ?? .onlyForCollections
    }
    // From the last to the first: each becomes a child of the one before.
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

  /// Fetches the records of an association along, as a collection of each record.
  mutating func prefetch(_ path: AssociationPath) {
    add(AssociatedRequest(key: path.key.prefetched, inclusion: .prefetched, path: path))
  }

  /// Adds an associated request, or merges it with the one of its key.
  mutating func add(_ child: AssociatedRequest) {
    let index = children.firstIndex { $0.key == child.key && $0.isPrefetched == child.isPrefetched }
    if let index {
      children[index].merge(child)
    } else {
      children.append(child)
    }
  }

  /// Takes the order away from the records, and from those that are joined to them.
  mutating func removeOrder() {
    ordering = RequestOrdering()
    for index in children.indices where !children[index].isPrefetched {
      children[index].blueprint.removeOrder()
    }
  }

  /// Merges what is said of the same records elsewhere: all filters hold; the last order wins.
  fileprivate mutating func merge(_ other: RequestBlueprint) {
    filters += other.filters
    havings += other.havings
    if !other.ordering.isEmpty { ordering = other.ordering }
    if !other.group.isEmpty { group = other.group }
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
    // The last selection wins, be it the default one; joining selects nothing.
    guard other.inclusion.isSelecting else { return }
    (blueprint.selection, blueprint.annotations) = (other.blueprint.selection, other.blueprint.annotations)
  }
}
