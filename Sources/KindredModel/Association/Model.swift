/// The resources that can be requested, with their associations, inferred from a schema and refined by a model file.
public struct Model: Sendable {
  /// The resources by name, in table order.
  public var resources: NameDictionary<Resource>
  /// Every table that a resource or a step uses, by name, including common table expressions.
  public var tables: NameDictionary<Table>
  /// The actions by name, as the model file defines them.
  public var actions: NameDictionary<Action> = [:]
  /// Problems of the schema that were ignored, one line each.
  public var warnings: [String]
  /// The names of the text search configurations of the database.
  public package(set) var searchConfigurations: [String] = []
  /// Whether the model file has access rules: then every resource without any is closed.
  public var hasAccess = false
  /// The resources without access rules that are closed although others have some, with the reasons.
  public package(set) var closed: NameDictionary<ClosingReason> = [:]
  /// What the owner of the server should know about the access rules and the hidden columns, one line each.
  public package(set) var accessWarnings: [String] = []
  /// Where the access rules for all resources don't fit some, one line each.
  public package(set) var accessMisfits: [String] = []
  /// Whether the access rules for all resources fit none.
  public package(set) var fitsNoResource = false

  /// The unrestricted model, if this one is limited to what some roles may see.
  package var whole: Whole?

  /// Whether a record for which a rule can't be computed is out of sight; otherwise the statement fails.
  ///
  /// Such rules cost more, so they are written this way only once one has failed.
  public var testsRulesCautiously = false

  /// Creates a model from its parts.
  public init(
    resources: NameDictionary<Resource>, tables: NameDictionary<Table>,
    warnings: [String] = []
  ) {
    self.resources = resources
    self.tables = tables
    self.warnings = warnings
  }

  /// Whether any column is hidden from clients.
  package var hidesColumns: Bool { resources.values.contains { !$0.hidden.isEmpty } }
}

/// A table as clients see it.
public struct Resource: Sendable {
  /// The name in URLs.
  public var name: String
  /// The table or view that holds the records.
  public var table: Table
  /// The names of the columns that clients can't read, filter, sort or write.
  public var hidden: NameSet = []
  /// The hidden columns that only the access entry of the client withholds: associations and keys over them still work.
  public var withheld: NameSet = []
  /// The names of the columns returned by default; all but the hidden ones if nil.
  public var fields: [String]?
  /// The default order, to which the primary key is appended.
  public var sort: [SortTerm] = []
  /// The name of the column whose value labels a record; ``labelColumn`` chooses one if nil.
  public var label: String?
  /// The access rules; nil if the model file has none for this resource.
  public var access: ResourceAccess?
  /// What the roles of this model may do.
  public var permissions = Permissions.unrestricted
  /// The names of the other readable resources of its table, whose row rules hold for its records, too; empty where the
  /// resource is reached by its own name.
  public package(set) var otherResources: [String] = []
  /// The columns that the model file defines by expressions, by name.
  public var computed: NameDictionary<ComputedColumn> = [:]
  /// The association of the rows of a query with the records of another resource that they are; nil for other resources.
  ///
  /// Only rules follow it.
  public var records: Association?
  /// The associations by key: the inferred ones first, then the additions of the model file.
  public var associations: NameDictionary<Association> = [:]

  /// Creates a resource with all columns of `table` and no associations.
  public init(name: String, table: Table) {
    self.name = name
    self.table = table
  }

  /// Names that no resource may have: Kindred's own pages are under `/-/`, an empty segment is not a resource, and
  /// clients remove dot segments from URLs (<https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4>).
  package static let reservedNames = ["", "-", ".", ".."]
}

extension Resource {
  /// The columns by whose values a path names a record, in key order; empty if there are none.
  ///
  /// These are the columns of the primary key, unless the model file hides one: as clients can't filter by a hidden
  /// column, no path does. A column that only an access entry withholds counts, because keys over it still work.
  public var addressColumns: [Column] {
    let key = table.primaryKey.map { table.columns[$0] }
    return key.contains { hidden.contains($0.name) && !withheld.contains($0.name) } ? [] : key
  }

  /// The columns of the address, if the client may read all of their values; otherwise empty.
  public var shownAddressColumns: [Column] {
    let address = addressColumns
    return address.contains { hidden.contains($0.name) } ? [] : address
  }

  /// Returns the columns of the address that a path leaves open after an association.
  ///
  /// - Parameter association: The association before the key; nil if the path begins with this resource.
  public func openAddressColumns(below association: Association?) -> [Column] {
    let fixed = association?.fixedColumns ?? []
    return addressColumns.filter { !fixed.contains($0.name) }
  }
}

extension Resource {
  /// Returns the parameters to which a request may give values after an association, which may fix some.
  public func parameters(below association: Association?) -> [QueryParameter] {
    table.parameters.filter { association?.parameters[$0.name] == nil }
  }
}

extension Association {
  /// The columns of the associated records whose values follow from the record that has them.
  ///
  /// Through other tables, nothing follows for the columns of the destination.
  public var fixedColumns: [String] {
    guard steps.count == 1 else { return [] }
    return steps[0].hasPeriod ? steps[0].destinationColumns.dropLast() : steps[0].destinationColumns
  }
}

extension Resource {
  /// The column whose value labels a record: the one that the model file names, else one called `name` or `title`,
  /// else the first unique text column; nil if there is none.
  public var labelColumn: Column? {
    let columns = columns
    if let label { return columns.first(named: label) }
    for name in ["name", "title"] {
      if let column = columns.first(where: { $0.name.equalsIgnoringCase(name) }) { return column }
    }
    return columns.first { $0.affinity == .text && table.isUnique([$0.name]) }
  }
}
