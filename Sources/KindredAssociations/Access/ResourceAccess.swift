/// Who may do what with the records of a resource (§10 of the contract), as the model file says.
public struct ResourceAccess: Sendable {
  /// What can be done with records.
  public enum Verb: String, Sendable, CaseIterable {
    case read
    case create
    case update
    case delete
  }

  /// By verb, the entries in their order: the first that is for one of a client's roles applies.
  ///
  /// A verb without entries is for nobody.
  public var entries: [Verb: [AccessEntry]]

  /// Access by these entries.
  public init(_ entries: [Verb: [AccessEntry]]) {
    self.entries = entries
  }

  /// Returns what a client with these roles may do.
  func permissions(of roles: Set<String>) -> Permissions {
    func entry(_ verb: Verb) -> AccessEntry? {
      number(of: verb, for: roles).flatMap { entries[verb]?[$0] }
    }
    return Permissions(
      read: entry(.read), create: entry(.create), update: entry(.update), delete: entry(.delete))
  }

  /// Returns the place of the entry that applies to a client with these roles; nil where none does.
  func number(of verb: Verb, for roles: Set<String>) -> Int? {
    entries[verb]?.firstIndex { $0.roles.map { !$0.isDisjoint(with: roles) } ?? true }
  }
}

/// What some roles may do, with which records and with which of their columns.
public struct AccessEntry: Sendable {
  /// The roles that it is for; nil for everybody.
  public var roles: Set<String>?
  /// What must hold of a record; nil for all records.
  public var rows: Expression?
  /// The names of the columns that it is for; nil for all.
  public var fields: Set<String>?

  /// An entry for everybody, all records and all columns, unless said otherwise.
  public init(roles: Set<String>? = nil, rows: Expression? = nil, fields: Set<String>? = nil) {
    self.roles = roles
    self.rows = rows
    self.fields = fields
  }
}

/// What the principal of a request may do with a resource; nil denies.
public struct Permissions: Sendable {
  /// Which records may be read, and what of them.
  public var read: AccessEntry?
  /// Which records may be added.
  public var create: AccessEntry?
  /// Which records may be changed, before and after.
  public var update: AccessEntry?
  /// Which records may be deleted.
  public var delete: AccessEntry?

  /// What must hold of a record for it to be read; nil where all may be.
  public var rowRule: Expression? { read.map(\.rows) ?? Expression(.boolean(false), at: Origin()) }
}
