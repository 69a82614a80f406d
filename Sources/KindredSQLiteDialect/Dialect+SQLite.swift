import KindredPlanning

extension Dialect {
  /// The dialect of SQLite.
  public static let sqlite = Dialect(SQLiteDialect())
}
