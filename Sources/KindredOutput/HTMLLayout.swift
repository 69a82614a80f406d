/// What a page shows of the records of a result beside their values: where they lead and what they are called.
public struct HTMLLayout: Sendable {
  /// By the names of the members that lead to the records; the root's path is empty.
  let records: [[String]: Record]

  /// - Parameter records: by path of members.
  public init(_ records: [[String]: Record]) {
    self.records = records
  }

  /// The records of the root, or of an association.
  public struct Record: Sendable {
    /// The name of the resource.
    public var resource: String
    /// The path of keys that parameters of the node begin with; empty at the root.
    public var node: String
    /// Nil for records without an address of their own.
    public var address: Address?
    /// The member that shows the column of the label; nil where none does.
    public var heading: String?
    /// The hidden member that names a record: NULL where the label is NULL or empty.
    public var label: String?
    /// The members that are columns as they are, and what an expression calls them.
    public var terms: [String: String] = [:]
    /// By the member that shows the foreign key.
    public var references: [String: Reference] = [:]
    /// The associations that can be followed from a record with an address.
    public var associations: [Association] = []

    /// Records that lead nowhere yet.
    public init(resource: String, node: String) {
      self.resource = resource
      self.node = node
    }
  }

  /// The address of a record: `path/KEY`.
  public struct Address: Sendable {
    /// The path of the resource, encoded, such as `/books`.
    public var path: String
    /// The columns of the key, encoded, and the members that have their values; in the order of the key.
    public var key: [(column: String, member: String)]

    /// The addresses below `path`.
    public init(path: String, key: [(column: String, member: String)]) {
      self.path = path
      self.key = key
    }
  }

  /// The record that a foreign key refers to.
  public struct Reference: Sendable {
    /// Where it is; its members are NULL where there is no such record.
    public var address: Address
    /// The hidden member that names it: NULL where the label is NULL or empty.
    public var label: String?

    /// A record of this address.
    public init(address: Address, label: String?) {
      self.address = address
      self.label = label
    }
  }

  /// An association of a record.
  public struct Association: Sendable {
    /// Its key.
    public var key: String
    /// Whether it leads to any number of records.
    public var isToMany: Bool
    /// The member that counts its records, up to ``HTMLLayout/countLimit``; nil where counting would take too long.
    ///
    /// Of a to-one association it is NULL where there is no record.
    public var count: String?

    /// An association that can be followed.
    public init(key: String, isToMany: Bool, count: String?) {
      self.key = key
      self.isToMany = isToMany
      self.count = count
    }
  }

  /// How far associated records are counted; as many or more are shown as `999+`.
  public static let countLimit = 1000

  /// The name of a member that is not shown as such.
  public static func hiddenMember(_ number: Int) -> String { "\u{1}kindred \(number)" }

  static func isHidden(_ member: String) -> Bool { member.hasPrefix("\u{1}kindred ") }
}
