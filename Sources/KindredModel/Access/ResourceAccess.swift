/// The access rules of a resource, as the model file defines them: who may do what with which records.
public struct ResourceAccess: Sendable {
  /// The operations on records that rules distinguish.
  public enum Verb: String, Sendable, CaseIterable {
    case read
    case create
    case update
    case delete
  }

  /// The entries of each verb, of which the first one for a role of the client applies.
  ///
  /// Nobody may use a verb without entries.
  public var entries: [Verb: [AccessEntry]]

  /// Creates access rules from these entries.
  public init(_ entries: [Verb: [AccessEntry]]) {
    self.entries = entries
  }

  /// Returns what a client with these roles may do.
  func permissions(of roles: NameSet) -> Permissions {
    Permissions(
      read: entry(.read, for: roles), create: entry(.create, for: roles), update: entry(.update, for: roles),
      delete: entry(.delete, for: roles))
  }

  /// Returns the entry that applies to a client with these roles; nil if it may not use the verb.
  public func entry(_ verb: Verb, for roles: NameSet) -> AccessEntry? {
    number(of: verb, for: roles).flatMap { entries[verb]?[$0] }
  }

  /// Returns the index of the entry that applies to a client with these roles; nil if none does.
  func number(of verb: Verb, for roles: NameSet) -> Int? {
    entries[verb]?.firstIndex { $0.roles.map { !$0.isDisjoint(with: roles) } ?? true }
  }
}

/// What some roles may do: with which records, and with which columns of them.
public struct AccessEntry: Sendable {
  /// The roles to which the entry applies; nil for everybody.
  public var roles: NameSet?
  /// The condition on a record; nil for all records.
  public var rows: Expression?
  /// The names of the columns to which the entry applies; nil for all.
  public var fields: NameSet?

  /// An entry for everybody, all records and all columns by default.
  public init(roles: NameSet? = nil, rows: Expression? = nil, fields: NameSet? = nil) {
    self.roles = roles
    self.rows = rows
    self.fields = fields
  }
}

/// What the principal of a request may do with a resource; nil denies.
public struct Permissions: Sendable {
  /// Which records may be read, and which of their columns.
  public var read: AccessEntry?
  /// Which records may be added.
  public var create: AccessEntry?
  /// Which records may be changed, before and after.
  public var update: AccessEntry?
  /// Which records may be deleted.
  public var delete: AccessEntry?

  /// Those of a model without access rules.
  public static let unrestricted = Permissions(
    read: AccessEntry(), create: AccessEntry(), update: AccessEntry(), delete: AccessEntry())

  /// Those of a resource without access rules where others have some: it is closed.
  static let none = Permissions(read: nil, create: nil, update: nil, delete: nil)

  /// Those of a table that the model file removes, where resources have access rules: it is only read through
  /// associations, and isn't written.
  static let readOnly = Permissions(read: AccessEntry(), create: nil, update: nil, delete: nil)

  /// The condition under which a record may be read; nil if all records may be.
  public var rowRule: Expression? { read.map(\.rows) ?? Expression(.boolean(false), at: Origin()) }
}
