/// The additions of an HTML page to the values of records: links, labels and counts.
public struct HTMLLayout: Sendable {
  /// Keyed by the names of the members that lead to the records; the root's path is empty.
  let records: [[String]: Record]

  /// Creates a layout.
  ///
  /// - Parameter records: the records of each table, keyed by the path of members that leads to them. The root's is
  ///   empty.
  public init(_ records: [[String]: Record]) {
    self.records = records
  }

  /// How the records of the root or of an association are shown.
  public struct Record: Sendable {
    /// The name of the resource.
    public var resource: String
    /// The path of association keys that prefixes the node's parameters; empty for the root.
    public var node: String
    /// Where a record is found; nil if records have no address, as those of a view without a key.
    public var address: Address?
    /// The member that shows the label's column, if any.
    public var heading: String?
    /// The hidden member that holds the label: NULL where the label is NULL or empty.
    public var label: String?
    /// For each member that is a plain column, that column.
    public var columns: [String: Column] = [:]
    /// The records that foreign keys refer to, keyed by the member that shows the foreign key.
    public var references: [String: Reference] = [:]
    /// The associations that can be followed from a record with an address.
    public var associations: [Association] = []
    /// The member that repeats the node below itself, if any.
    public var repeats: String?
    /// The members by which groups are formed.
    public var groupKeys: Set<String> = []
    /// The member by which the records are sorted first, if any.
    public var order: (member: String, isDescending: Bool)?
    /// The methods by which the client may change some of the records.
    public var changes: [String] = []
    /// Whether the records can be searched.
    public var isSearchable = false

    /// Creates a layout of records without any links.
    public init(resource: String, node: String) {
      self.resource = resource
      self.node = node
    }
  }

  /// A column of a table.
  public struct Column: Sendable {
    /// The name in the database.
    public var name: String
    /// The name in expressions.
    public var term: String
    /// How its values are written (`/-/schema`).
    public var input: String
    /// How an expression writes its values, where that isn't as they are shown (`/-/schema`).
    public var literal: String?
    /// What it is, as the database says.
    public var comment: String?
    /// Whether its values are computed, so that none can be written.
    public var isFixed: Bool
    /// Whether the request searches it.
    public var isSearched = false

    /// A column whose name in expressions is `term`.
    public init(
      name: String, term: String, input: String, literal: String?, comment: String?, isFixed: Bool
    ) {
      self.name = name
      self.term = term
      self.input = input
      self.literal = literal
      self.comment = comment
      self.isFixed = isFixed
    }
  }

  /// The address of a record: `path/KEY`.
  public struct Address: Sendable {
    /// The path of the resource, encoded, such as `/books`.
    public var path: String
    /// The encoded name of each key column, the member that holds its value, and how a path is read there, in key order.
    public var key: [(column: String, member: String, reading: KeyReading)]

    /// Creates an address below `path`.
    public init(path: String, key: [(column: String, member: String, reading: KeyReading)]) {
      self.path = path
      self.key = key
    }
  }

  /// The record that a foreign key refers to.
  public struct Reference: Sendable {
    /// Its address; the members are NULL where there is no such record.
    public var address: Address
    /// The hidden member that holds its label: NULL where the label is NULL or empty.
    public var label: String?

    /// Creates a reference to the record at `address`.
    public init(address: Address, label: String?) {
      self.address = address
      self.label = label
    }
  }

  /// An association of a record.
  public struct Association: Sendable {
    /// Its key.
    public var key: String
    /// Whether it is a to-many association.
    public var isToMany: Bool
    /// The member that counts its records up to ``HTMLLayout/countLimit``; nil where counting would take too long.
    ///
    /// For a to-one association, the member's value is NULL where there is no record.
    public var count: String?
    /// Whether its records need parameters, so that aggregates of them do, too.
    public var needsParameters: Bool

    /// Creates an association that a record links to.
    public init(key: String, isToMany: Bool, count: String?, needsParameters: Bool) {
      self.key = key
      self.isToMany = isToMany
      self.count = count
      self.needsParameters = needsParameters
    }
  }

  /// The number at which counting stops; that many records or more are shown as `999+`.
  public static let countLimit = 1000

  /// The name of a member that is read for links, labels and counts, but has no cell.
  public static func hiddenMember(_ number: Int) -> String { "\u{1}kindred \(number)" }

  static func isHidden(_ member: String) -> Bool { member.hasPrefix("\u{1}kindred ") }
}
