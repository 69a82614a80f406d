import OrderedCollections

/// What can be requested: resources and their associations, inferred from a schema and refined by a model file.
public struct Model: Sendable {
  /// By name, in table order.
  public var resources: OrderedDictionary<String, Resource>
  /// Every table that a resource or a step stands on, by name; common table expressions too.
  public var tables: OrderedDictionary<String, Table>
  /// What was found wrong with the schema and passed over: one line each.
  public var warnings: [String]
  /// The SQL that its database takes.
  public var dialect: Dialect

  /// What a model of some roles was made of; nil for a model that shows everything.
  var whole: Whole?

  /// A model of these parts.
  public init(
    resources: OrderedDictionary<String, Resource>, tables: OrderedDictionary<String, Table>,
    warnings: [String] = [], dialect: Dialect = .sqlite
  ) {
    self.dialect = dialect
    self.resources = resources
    self.tables = tables
    self.warnings = warnings
  }
}

/// A table as clients see it.
public struct Resource: Sendable {
  /// The name in URLs.
  public var name: String
  /// What stands behind it.
  public var table: Table
  /// The names of columns that can't be read, filtered, sorted or written.
  public var hidden: Set<String> = []
  /// The names of the columns returned unless a request says which; all but the hidden ones where nil.
  public var fields: [String]?
  /// The order unless a request says which; the primary key comes last in any case.
  public var sort: [SortTerm] = []
  /// The column that stands for a record where it is shown; chosen by ``labelColumn`` where nil.
  public var label: String?
  /// Who may do what; nil where the model file doesn't say.
  public var access: ResourceAccess?
  /// What the roles of this model may do; nil where no access is configured.
  public var permissions: Permissions?
  /// By key, in the order of their inference, then of the model file.
  public var associations: OrderedDictionary<String, Association> = [:]

  /// A resource with all columns of `table`, and no association yet.
  public init(name: String, table: Table) {
    self.name = name
    self.table = table
  }

  /// What no resource may be called: everything of Kindred's own is under `/-/`, an empty segment is no resource,
  /// and clients remove dot segments from URLs (<https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4>).
  package static let reservedNames = ["", "-", ".", ".."]

  /// The columns that clients may name.
  public var columns: [Column] { table.columns.filter { !hidden.contains($0.name) } }
}
