import KindredSQLSyntax
import KindredSQLite

// The names of this module that are those of the modules below it.

/// SQL text and its bindings, as the engine composes it.
typealias SQLText = KindredSQLSyntax.SQL

/// A prepared statement of the driver.
typealias DriverStatement = KindredSQLite.Statement

/// SQL text with its values, as a program writes it.
public typealias SQL = SQLLiteral

/// A prepared statement that returns rows.
public typealias SelectStatement = Statement

// GRDB's names for what a request can be, all of which a `DerivableRequest` is.

/// A request whose rows have a type.
public typealias TypedRequest = DerivableRequest

/// A request whose columns can be chosen.
public typealias SelectionRequest = DerivableRequest

/// A request whose records can be filtered.
public typealias FilteredRequest = DerivableRequest

/// A request whose records can be ordered.
public typealias OrderedRequest = DerivableRequest

/// A request whose records can be grouped.
public typealias AggregatingRequest = DerivableRequest

/// A request to which associations can be joined.
public typealias JoinableRequest = DerivableRequest

/// A request of the records of a table.
public typealias TableRequest = DerivableRequest

// MARK: - SQL

/// Returns question marks with commas between them: the parameters of a list in SQL.
///
///     try Row.fetchAll(
///       db, sql: "SELECT * FROM book WHERE id IN (\(databaseQuestionMarks(count: ids.count)))",
///       arguments: StatementArguments(ids))
public func databaseQuestionMarks(count: Int) -> String {
  Array(repeating: "?", count: max(0, count)).joined(separator: ",")
}

extension String {
  /// The text as the name of a table or a column in SQL, in double quotes.
  public var quotedDatabaseIdentifier: String { SQLText.quoted(self) }
}
