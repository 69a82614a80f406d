import KindredModel
import KindredSQLSyntax

/// A type that names a column of a record's table.
///
/// An enumeration with string raw values only needs to declare the conformance:
///
///     enum Columns: String, ColumnExpression { case id, title, authorId }
public protocol ColumnExpression: SQLSpecificExpressible {
  /// The name of the column in the database.
  var name: String { get }
}

extension ColumnExpression {
  /// The column of the record of the enclosing request or association.
  public var sqlExpression: SQLExpression { SQLExpression(.program(.column(name))) }
}

extension ColumnExpression {
  /// The name by itself, of a column that the request selects under it: `order(Column("total").detached)`.
  public var detached: SQLExpression { .raw([.text(SQLText.quoted(name))]) }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
  /// The raw value of the enumeration.
  public var name: String { rawValue }
}

/// A column by its name: `Column("title")`.
public struct Column: ColumnExpression, Hashable {
  /// The name of the column in the database.
  public let name: String

  /// The column with that name.
  public init(_ name: String) {
    self.name = name
  }

  /// Creates the column with the name of a coding key.
  public init(_ key: some CodingKey) {
    name = key.stringValue
  }

  /// The rowid, which most tables have (<https://www.sqlite.org/rowidtable.html>).
  public static let rowID = Column("rowid")
}

/// The columns of a record that doesn't name them, by dynamic member lookup: `filter { $0.country == "France" }`.
///
/// Names are not checked at compile time: a misspelled column throws when the request runs. A record that declares
/// `enum Columns` has exactly those.
@dynamicMemberLookup
public enum RecordColumns {
  /// The column with that name.
  public static subscript(dynamicMember name: String) -> Column {
    Column(name.first == "$" ? String(name.dropFirst()) : name)
  }
}
