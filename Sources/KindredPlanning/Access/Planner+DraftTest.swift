import KindredModel
import KindredSQLSyntax

/// Describes a record that a constraint kept from being stored: which columns are known, and where the rest comes from.
public struct DraftShape: Hashable, Sendable {
  /// The columns whose values are the first parameters, in order.
  let columns: [ExactName]
  /// Those of them that are columns of numbers, but keep the text that they hold.
  let texts: [ExactName]
  /// The columns that take their defaults even where an existing record is changed.
  let reset: [ExactName]
  /// The columns that find the record to be changed, whose values are the following parameters.
  ///
  /// Empty for a new record, whose other columns take their defaults.
  let locators: [ExactName]

  /// Creates the description of a record of a table from the values of its known columns.
  public init(
    _ values: [(column: String, value: SQLValue)], of table: Table, in dialect: Dialect,
    reset: [String] = [], locators: [String] = []
  ) {
    columns = values.map(\.column).exact
    let texts = values.filter { name, value in
      guard case .text(let text) = value, let column = table.column(named: name) else { return false }
      return dialect.writer.keepsText(text, in: column)
    }
    self.texts = texts.map(\.column).exact
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
