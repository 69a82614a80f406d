import KindredAssociations

/// A column of a record's table.
///
/// Enumerations of columns adopt it by their raw values:
///
///     enum Columns: String, ColumnExpression { case id, title, authorId }
public protocol ColumnExpression: SQLSpecificExpressible {
  /// The name in the database.
  var name: String { get }
}

extension ColumnExpression {
  /// The column of the record that the request, or the association, is about.
  public var sqlExpression: SQLExpression { SQLExpression(.program(.column(name))) }

  /// Whether a full-text column matches a pattern; no row does where the pattern is `nil`.
  public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
    guard let pattern else { return SQLExpression(.boolean(false)) }
    return .raw([
      .expression(sqlExpression), .text(" MATCH "), .expression(pattern.rawPattern.sqlExpression),
    ])
  }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
  /// The raw value.
  public var name: String { rawValue }
}

/// A column by its name: `Column("title")`.
public struct Column: ColumnExpression, Hashable {
  /// The name in the database.
  public let name: String

  /// The column of that name.
  public init(_ name: String) {
    self.name = name
  }

  /// The column of a coding key's name.
  public init(_ key: some CodingKey) {
    name = key.stringValue
  }

  /// The rowid, which most tables have (<https://www.sqlite.org/rowidtable.html>).
  public static let rowID = Column("rowid")
}

/// The columns of a record, by the names that Swift code gives them: what `filter { $0.country == "France" }` speaks
/// of.
///
/// The names are SQLite's to check, when the request runs.
@dynamicMemberLookup
public struct RecordColumns: Sendable {
  /// The column of that name.
  public subscript(dynamicMember name: String) -> Column {
    Column(name.first == "$" ? String(name.dropFirst()) : name)
  }
}
