/// The SQL of a database, with the strategy by which it runs requests best.
///
/// Each is made by a separate module.
public struct Dialect: Sendable {
  /// Writes what differs between databases.
  package let writer: any SQLDialect

  /// Creates the dialect of a writer.
  package init(_ writer: any SQLDialect) { self.writer = writer }

  /// Whether roles of the database may be refused columns.
  public var hasColumnPrivileges: Bool { writer.hasColumnPrivileges }
}
