import KindredModel
import Synchronization

/// The way from the records of one table to those of another: one link, or several through pivot tables.
public struct AssociationPath: Sendable {
  /// The table that the path starts from; only set once a record to start from is given.
  var originTableName = ""
  /// The pivots followed by the destination; never empty.
  var links: [AssociationLink]
  /// The key of the destination in the request.
  var key: AssociationKey

  init(_ link: AssociationLink, key: AssociationKey) {
    links = [link]
    self.key = key
  }

  /// Appends one path to another.
  init(through pivot: AssociationPath, using target: AssociationPath, key: String?) {
    links = pivot.links + target.links
    // A pivot keeps its own key, because the same request may also join it by itself.
    links[pivot.links.count - 1].key = pivot.key
    self.key = target.key
    if let key { self.key = self.key(named: key) }
  }

  /// The last link of the path.
  var destination: AssociationLink {
    get { links[links.count - 1] }
    set { links[links.count - 1] = newValue }
  }

  /// Returns an explicit name as the singular or plural key that suits the association.
  func key(named name: String) -> AssociationKey {
    links.allSatisfy(\.isOfOne) ? .singular(name) : .plural(name)
  }

  /// Returns whether two paths join the same tables by the same columns.
  ///
  /// The keys of the pivots are compared; the key of the destination is not.
  func leadsTheSameWay(as other: AssociationPath) -> Bool {
    links.count == other.links.count && zip(links, other.links).allSatisfy { $0.leadsTheSameWay(as: $1) }
      && zip(links, other.links).dropLast().allSatisfy { $0.key.joined == $1.key.joined }
  }
}

/// A condition that decides whether two records belong together; compared by identity.
///
/// Its closure captures a closure that is `Sendable`, and the types of both records, which the compiler doubts.
final class JoinRule: @unchecked Sendable {
  let condition: (_ left: RecordAlias, _ right: RecordAlias) -> SQLExpression?

  init<Origin, Destination>(_ condition: JoinCondition<Origin, Destination>?) {
    self.condition = { condition?(TableAlias(of: $0), TableAlias(of: $1))?.sqlExpression }
  }
}

/// A step from the records of one table to those of another.
struct AssociationLink: Sendable {
  /// The condition by which two records belong together.
  enum Condition: Sendable {
    /// The origin refers to the destination.
    case belongsTo(ForeignKey?)
    /// The destination refers to the origin.
    case has(ForeignKey?)
    /// An expression. Every rule must return the same one.
    case on([JoinRule])
  }

  var condition: Condition
  var isToOne: Bool
  /// The key of a pivot in a request.
  var key: AssociationKey
  /// How the records that the link leads to are selected, filtered and ordered.
  var blueprint: RequestBlueprint

  /// Adds the rules of another use of the same association.
  mutating func merge(_ other: Condition) {
    guard case .on(let rules) = condition, case .on(let otherRules) = other else { return }
    condition = .on(rules + otherRules.filter { rule in !rules.contains { $0 === rule } })
  }

  /// Whether the link's key is singular, which that of a common table always is, since its rows are joined one by one.
  fileprivate var isOfOne: Bool {
    if case .on = condition { true } else { isToOne }
  }

  fileprivate func leadsTheSameWay(as other: AssociationLink) -> Bool {
    guard isToOne == other.isToOne, blueprint.tableName == other.blueprint.tableName else { return false }
    switch (condition, other.condition) {
    case (.belongsTo(let key), .belongsTo(let otherKey)), (.has(let key), .has(let otherKey)):
      return key == otherKey
    // Their conditions can only be compared when the request runs.
    case (.on, .on): return true
    case (.belongsTo, _), (.has, _), (.on, _): return false
    }
  }
}

/// The name of an association: singular where one record is joined to another, plural for a collection.
enum AssociationKey: Sendable, Hashable {
  /// The name of a table, to be inflected.
  case inflected(String)
  /// An explicit name for one record.
  case singular(String)
  /// An explicit name for any number of records.
  case plural(String)

  /// The key of a single joined record, which default names of aggregates also contain.
  var joined: String {
    switch self {
    case .inflected(let name), .plural(let name): Self.inflected(name).singular
    case .singular(let key): key
    }
  }

  /// The key of a collection.
  var prefetched: String {
    switch self {
    case .inflected(let name), .singular(let name): Self.inflected(name).plural
    case .plural(let key): key
    }
  }

  /// The names that have been inflected, which takes as long as a statement.
  private static let known = Mutex<[String: (singular: String, plural: String)]>([:])
  private static let capacity = 1000

  private static func inflected(_ name: String) -> (singular: String, plural: String) {
    if let known = known.withLock({ $0[name] }) { return known }
    let inflected = (singular: Inflector.singular(name), plural: Inflector.plural(name))
    known.withLock { known in
      if known.count >= capacity { known = [:] }
      known[name] = inflected
    }
    return inflected
  }
}

/// An association that the schema does not support, or that is combined with others in a way that can't work.
public enum AssociationError: Error, Hashable, Sendable {
  /// The schema has several foreign keys between the two tables, so the association has to name its columns.
  case ambiguousForeignKey(origin: String, destination: String)
  /// The schema has no foreign key between the two tables, or none with the given columns.
  case missingForeignKey(origin: String, destination: String)
  /// One key stands for two different associations.
  case ambiguousKey(String)
  /// An association is joined or aggregated although it is refined in a way that only `including(all:)` allows.
  case onlyForCollections
  /// A record encodes no value for a column that the association needs.
  case missingColumn(String, table: String)
}

extension AssociationError: CustomStringConvertible {
  /// Describes the problem and how to fix it.
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
      "The record of \(table) doesn't encode the column \(column), which the association needs"
    }
  }
}
