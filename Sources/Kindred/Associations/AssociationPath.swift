import KindredAssociations

/// How the records of one table lead to those of another: one link, or several through pivots.
public struct AssociationPath: Sendable {
  /// The table that it starts from; of no interest before a record is given.
  var originTableName = ""
  /// Pivots, and the destination last; at least one.
  var links: [AssociationLink]
  /// The name of the destination in the request.
  var key: AssociationKey

  init(_ link: AssociationLink, key: AssociationKey) {
    links = [link]
    self.key = key
  }

  /// One path after the other.
  init(through pivot: AssociationPath, using target: AssociationPath, key: String?) {
    links = pivot.links + target.links
    // A pivot keeps the key by which it may be joined as well.
    links[pivot.links.count - 1].key = pivot.key
    self.key = target.key
    if let key { self.key = self.key(named: key) }
  }

  /// The last link.
  var destination: AssociationLink {
    get { links[links.count - 1] }
    set { links[links.count - 1] = newValue }
  }

  /// A given name, in the number that the association is of.
  func key(named name: String) -> AssociationKey {
    links.allSatisfy(\.isOfOne) ? .singular(name) : .plural(name)
  }

  /// Whether two paths join the same tables by the same columns.
  ///
  /// The key of the destination is not compared, those of the pivots are.
  func leadsTheSameWay(as other: AssociationPath) -> Bool {
    links.count == other.links.count && zip(links, other.links).allSatisfy { $0.leadsTheSameWay(as: $1) }
      && zip(links, other.links).dropLast().allSatisfy { $0.key.joined == $1.key.joined }
  }
}

/// What says whether two records belong together; the same object is the same rule.
final class JoinRule: Sendable {
  let condition: JoinCondition

  init(_ condition: @escaping JoinCondition) {
    self.condition = condition
  }
}

/// A step from the records of one table to those of another.
struct AssociationLink: Sendable {
  /// How two records belong together.
  enum Condition: Sendable {
    /// The origin refers to the destination.
    case belongsTo(ForeignKey?)
    /// The destination refers to the origin.
    case has(ForeignKey?)
    /// By an expression, which has to be the same by all of the rules.
    case on([JoinRule])
  }

  var condition: Condition
  var isToOne: Bool
  /// The name of a pivot in a request.
  var key: AssociationKey
  /// What is said of the records that the link leads to.
  var blueprint: RequestBlueprint

  /// Adds what another use of the same association says of how two records belong together.
  mutating func merge(_ other: Condition) {
    guard case .on(let rules) = condition, case .on(let otherRules) = other else { return }
    condition = .on(rules + otherRules.filter { rule in !rules.contains { $0 === rule } })
  }

  /// Whether its name is that of one record: tables of a request are named in one number.
  fileprivate var isOfOne: Bool {
    if case .on = condition { true } else { isToOne }
  }

  fileprivate func leadsTheSameWay(as other: AssociationLink) -> Bool {
    guard isToOne == other.isToOne, blueprint.tableName == other.blueprint.tableName else { return false }
    switch (condition, other.condition) {
    case (.belongsTo(let key), .belongsTo(let otherKey)), (.has(let key), .has(let otherKey)):
      return key == otherKey
    // What these say is only known when the request runs.
    case (.on, .on): return true
    case (.belongsTo, _), (.has, _), (.on, _): return false
    }
  }
}

/// The name of an association, which follows the number of records that it stands for: one that is joined to another,
/// or a collection.
enum AssociationKey: Sendable, Hashable {
  /// The name of a table.
  case inflected(String)
  /// A given name of one record.
  case singular(String)
  /// A given name of any number of records.
  case plural(String)

  /// The key of one record beside another, which also is in the names of aggregates.
  var joined: String {
    switch self {
    case .inflected(let name), .plural(let name): Inflector.singular(name)
    case .singular(let key): key
    }
  }

  /// The key of a collection.
  var prefetched: String {
    switch self {
    case .inflected(let name), .singular(let name): Inflector.plural(name)
    case .plural(let key): key
    }
  }
}

/// What is wrong with associations: with what the schema says of them, or with how they are combined.
public enum AssociationError: Error, Hashable, Sendable {
  /// There are several foreign keys between two tables.
  case ambiguousForeignKey(origin: String, destination: String)
  /// There is no foreign key between two tables, or none with these columns.
  case missingForeignKey(origin: String, destination: String)
  /// One key means two different associations.
  case ambiguousKey(String)
  /// A refinement of an association that fits collections only.
  case onlyForCollections
  /// A record has no value for a column that an association needs.
  case missingColumn(String, table: String)
  /// No unique index tells records apart by these columns.
  case notUnique(columns: [String], table: String)
  /// A table has no primary key of one column, or none at all.
  case missingPrimaryKey(table: String)
  /// A record that is to be found again has no value in its primary key.
  case missingPrimaryKeyValue(table: String)
}

extension AssociationError: CustomStringConvertible {
  /// What is wrong, and the mend.
  public var description: String {
    switch self {
    case .ambiguousForeignKey(let origin, let destination):
      "Ambiguous foreign key from \(origin) to \(destination)"
    case .missingForeignKey(let origin, let destination):
      "Could not infer foreign key from \(origin) to \(destination)"
    case .ambiguousKey(let key):
      "The association key `\(key)` is ambiguous. Use the Association.forKey(_:) method is order to disambiguate."
    case .onlyForCollections:
      "An association refined with limit, distinct, group, having, or association aggregates can only be used with including(all:)"
    case .missingColumn(let column, let table):
      "The record of \(table) encodes no column \(column), which the association needs"
    case .notUnique(let columns, let table):
      "The table \(table) has no unique index on \(columns.joined(separator: ", "))"
    case .missingPrimaryKey(let table):
      "The table \(table) has no primary key of one column"
    case .missingPrimaryKeyValue(let table):
      "The record of \(table) has no value in its primary key"
    }
  }
}
