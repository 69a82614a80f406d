import KindredModel
import KindredSQLSyntax

/// Describes a record that a constraint kept from being stored: which columns are known, and where the rest comes from.
public struct DraftShape: Hashable, Sendable {
  /// The columns whose values are the first parameters, in order.
  let columns: [ExactName]
  /// The columns that take their defaults even where an existing record is changed.
  let reset: [ExactName]
  /// The columns that find the record to be changed, whose values are the following parameters.
  ///
  /// Empty for a new record, whose other columns take their defaults.
  let locators: [ExactName]

  /// Creates the description of a record from its known columns.
  public init(columns: [String], reset: [String] = [], locators: [String] = []) {
    self.columns = columns.exact
    self.reset = reset.exact
    self.locators = locators.exact
  }
}

extension Planner {
  /// Plans a test of whether an access rule holds for a record that could not be stored.
  ///
  ///     SELECT 1
  ///     FROM (SELECT CAST(?1 AS NUMERIC) AS companyId, … FROM project WHERE rowid = ?2) AS project
  ///     WHERE rule
  ///
  /// - Parameters:
  ///   - rule: The condition on the record; no other rule applies.
  ///   - resource: The resource of the record.
  ///   - draft: What is known of the record.
  /// - Returns: A lookup that finds a row if the rule holds. Records that would refer to the stored record are not
  ///   found, as it is not stored.
  public func test(_ rule: Expression, of resource: Resource, _ draft: DraftShape) throws -> RecordLookup {
    try test(rule, of: resource) { record, context in
      let row = resource.table.row(of: draft, in: context.dialect)
      record.select.begin(with: context.sources.reference(toRowsOf: row, as: record.alias))
    }
  }
}

extension Table {
  /// Returns a `SELECT` whose only row is the record.
  ///
  /// - Parameter isStored: Whether the values are converted as by storing them; else they have no affinity.
  func row(of draft: DraftShape, in dialect: any SQLDialect, isStored: Bool = true) -> SQL {
    let shown = columns.map { column -> SQL in
      let name: SQL = "\(identifier: column.name)"
      if let number = draft.columns.firstIndex(of: ExactName(column.name)) {
        let value =
          isStored ? column.stored(.parameter(number), of: self, in: dialect) : "\(.parameter(number))"
        return "\(value) AS \(name)"
      }
      guard draft.locators.isEmpty || draft.reset.contains(ExactName(column.name)) else { return name }
      return "\(column.defaultValue ?? "NULL") AS \(name)"
    }
    let row: SQL = "SELECT \(shown.joined(separator: ", "))"
    guard !draft.locators.isEmpty else { return row }
    let found = draft.locators.enumerated().map { number, name -> SQL in
      let type = column(named: name.text).flatMap { dialect.type(of: $0) }
      let value = dialect.parameter(.parameter(draft.columns.count + number), as: type)
      return "\(keyColumn(name.text)) = \(value)"
    }
    return "\(row) FROM \(reference) WHERE \(found.joined(separator: " AND "))"
  }
}

extension Column {
  /// Returns a parameter with the affinity and the collation of the column, as if the value were stored in it.
  fileprivate func stored(_ binding: SQL.Binding, of table: Table, in dialect: any SQLDialect) -> SQL {
    if isComposed { return dialect.written(binding, to: self, of: table) }
    if let type = dialect.type(of: self) { return dialect.parameter(binding, as: type) }
    // A parameter has neither affinity nor collation. No cast is exactly an affinity: a text that isn't a number, which a
    // column of numbers stores as it is, becomes a number here. So its draft may be refused for another reason.
    let value: SQL = "\(binding)"
    // The texts of documents are such texts, and they are compared by functions, for which affinity has no meaning.
    if valueFormat == .json { return value }
    let type: SQL? =
      switch affinity {
      case .integer, .numeric: "NUMERIC"
      case .real: "REAL"
      case .text: "TEXT"
      case .blob: nil
      }
    let converted: SQL = type.map { "CAST(\(value) AS \($0))" } ?? value
    return collation.equalsIgnoringCase("BINARY")
      ? converted : "\(converted) COLLATE \(identifier: collation)"
  }
}
