import KindredSQLSyntax
import KindredSQLite

// The names of this module that are those of the modules below it.

/// SQL text and its bindings, as the engine composes it.
typealias SQLText = KindredSQLSyntax.SQL

/// A prepared statement of the driver.
typealias DriverStatement = KindredSQLite.Statement

/// SQL text with its values, as a program writes it.
public typealias SQL = SQLLiteral

/// What an interpolated literal consists of: a program adds custom interpolations in extensions.
///
///     extension SQLInterpolation {
///       mutating func appendInterpolation(upper column: Column) {
///         appendInterpolation(literal: "UPPER(\(column))")
///       }
///     }
public typealias SQLInterpolation = SQLLiteral.StringInterpolation

/// A prepared statement that returns rows.
public typealias SelectStatement = Statement

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
