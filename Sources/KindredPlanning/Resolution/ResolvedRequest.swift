import KindredModel
import KindredSQLSyntax

/// What a request means: the records on its path and its tree of nodes, with typed expressions in place of names.
///
/// It is a value without SQL. All errors of names are found by making it, and the selects are made of it.
package struct ResolvedRequest: Sendable {
  /// The records on the path before those of the root.
  let path: [ResolvedRecords]
  /// The records at the end of the path, which are those of the root.
  let records: ResolvedRecords
  let root: ResolvedNode
}

/// Records on a path: all of a resource, or the associated ones of the record before.
struct ResolvedRecords: Sendable {
  let names: NameScope
  /// The association from the record before; nil at the start.
  let association: ResolvedAssociation?
  /// What the request demands of them; nil for records on the way without parameters.
  let conditions: ResolvedConditions?
  /// The key in the path that selects one of them.
  var key: [ResolvedEquality]?

  /// Whether there is at most one.
  var isSingle: Bool { key != nil || association?.association.cardinality == .toOne }

  /// Whether it is found by the primary key of its table.
  var isFoundByPrimaryKey: Bool {
    let table = names.resource.table
    guard association == nil, case .table = table.kind, !table.isKeyUnchecked, let key else { return false }
    let columns = table.primaryKey.map { table.columns[$0].name }
    return !columns.isEmpty && columns.allSatisfy { column in key.contains { $0.column.name == column } }
  }

  /// The error detail if there is no such record.
  var absence: String {
    guard let association else { return "there is no such record in \(names.resource.name)" }
    return key == nil
      ? "there is no `\(association.key)` of this record"
      : "there is no such record in `\(association.key)` of this record"
  }
}

/// A node of a request: which records, and how they are shown.
struct ResolvedNode: Sendable {
  let node: RequestNode
  /// The keys from the root to here, joined by dots.
  let name: String
  /// The names of its records.
  let names: NameScope
  /// The association that leads here; nil at the root, unless the path ends with one.
  let association: ResolvedAssociation?
  /// If it is a joined to-many node or below one: the associations from the record that this is joined to, with its own.
  ///
  /// The records of a node below it are found by these, and each is shown once.
  var ways: [ResolvedAssociation] = []
  /// Whether it has separate rows, rather than being joined to the record above.
  var isApart = false
  /// What the request demands of its records; nil if the ways do.
  let conditions: ResolvedConditions?
  var content = ResolvedContent.members([])
  /// The nodes below it, in the order of the request.
  var children: [ResolvedNode] = []
  /// How the node repeats below itself; nil unless it is recursive.
  var repetition: ResolvedRepetition?
  /// How the records are grouped; nil if each row is one.
  var group: ResolvedGroup?
  /// The requested order; nil for the default one.
  var sort: [ResolvedSortTerm]?

  /// Returns the position of the member in whose place the record of a node below stands; nil if it has its own place.
  ///
  /// A record of an association that has the name of its only column replaces that column.
  func place(of child: RequestNode) -> Int? {
    guard node.isIncluded, case .members(let members) = content,
      let column = child.association?.replacedColumn, column.hasBytes(of: child.key)
    else { return nil }
    return members.firstIndex { $0.shows(column) }
  }

  /// Whether each record above has a list of them.
  var isToMany: Bool { association?.association.cardinality == .toMany || !ways.isEmpty }
}

/// What is shown of a record.
enum ResolvedContent: Sendable {
  /// One bare value.
  case value(ResolvedExpression)
  /// Members, before those of the nodes below.
  case members([ResolvedMember])
}

/// A member of a record, whose name differs from those of the others.
struct ResolvedMember: Sendable {
  enum Value: Sendable {
    case column(Column)
    case expression(ResolvedExpression)
  }

  let name: String
  let value: Value

  /// Whether it is this column by its own name.
  fileprivate func shows(_ column: String) -> Bool {
    guard name.hasBytes(of: column) else { return false }
    switch value {
    case .column: return true
    case .expression(let expression):
      guard case .path(.column(let shown)) = expression.meaning else { return false }
      return shown.name.hasBytes(of: column)
    }
  }
}

/// How a recursive node repeats below itself.
indirect enum ResolvedRepetition: Sendable {
  /// All levels below have the same meaning.
  case itself
  /// The second level, whose records are below those of the first.
  case level(ResolvedNode)
}

/// The groups of a node's records.
struct ResolvedGroup: Sendable {
  /// The grouping expressions; without any, all records are one group.
  let expressions: [ResolvedExpression]
  let havings: [ResolvedExpression]
  /// The columns that are read outside aggregates, since a grouped primary key determines them.
  let determined: [ResolvedPath]
}
