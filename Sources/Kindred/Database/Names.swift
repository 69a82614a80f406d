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
