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

/// A column, and the expression that computes its new value.
///
/// In an access entry, the expression reads the client's claims and, unless the record is new, the record as it was.
public struct ColumnAssignment: Sendable {
  /// The name of the column in the table's spelling.
  public var column: String
  /// The value.
  public var expression: Expression

  /// Creates the assignment of an expression's value to a column.
  public init(column: String, expression: Expression) {
    (self.column, self.expression) = (column, expression)
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
  /// The columns that the server sets; with any, an entry for deletion keeps the record.
  public var presets: [ColumnAssignment]

  /// An entry for everybody, all records and all columns by default.
  public init(
    roles: NameSet? = nil, rows: Expression? = nil, fields: NameSet? = nil, presets: [ColumnAssignment] = []
  ) {
    self.roles = roles
    self.rows = rows
    self.fields = fields
    self.presets = presets
  }

  /// Whether clients may give a column any value.
  func takes(_ column: String) -> Bool {
    (fields?.contains(column) ?? true) && !presets.map(\.column).containsExactly(column)
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

extension Permissions {
  /// The entry for a verb.
  public subscript(verb: ResourceAccess.Verb) -> AccessEntry? {
    switch verb {
    case .read: read
    case .create: create
    case .update: update
    case .delete: delete
    }
  }

  /// Whether a deletion keeps the record, and sets columns of it.
  public var keepsDeleted: Bool { delete?.presets.isEmpty == false }

  /// The columns that the server sets in new records.
  public var presetColumns: [String] { create?.presets.map(\.column) ?? [] }

  /// The columns to which a change can't give another value than the server does: the columns that it sets in changes,
  /// and the columns that it sets in new records, unless `fields` names them.
  public var columnsLockedInChanges: [String] {
    guard let update else { return [] }
    let ofChange = update.presets.map(\.column)
    return ofChange
      + presetColumns.filter { column in
        !ofChange.containsExactly(column) && !(update.fields?.contains(column) ?? false)
      }
  }

  /// Returns whether the server alone determines a column, in new records and in changes.
  public func isReadOnly(_ column: String) -> Bool {
    let presets = (create?.presets ?? []) + (update?.presets ?? [])
    return presets.map(\.column).containsExactly(column) && !(create?.takes(column) ?? false)
      && (columnsLockedInChanges.containsExactly(column) || !(update?.takes(column) ?? false))
  }
}
