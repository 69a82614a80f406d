/// A type that can be decoded from a row: `Row` itself, a value of the first column, or a record.
///
/// Every such type can be fetched from a request, from SQL, and from a statement:
///
///     let names = try String.fetchAll(db, sql: "SELECT name FROM author")
///     let author = try Author.fetchOne(db, Author.filter(Column("name") == "Victor Hugo"))
public protocol RowDecodable {
  /// Returns the value that a row stands for.
  ///
  /// - Throws: `RowDecodingError`, or the error that the initializer of a record throws.
  static func decoded(from row: Row) throws -> Self

  /// Returns the value of a row that is fetched alone; `nil` if the row holds none.
  ///
  /// By default, every row holds a value. A single value is `nil` if it is NULL.
  ///
  /// - Throws: The error that `decoded(from:)` throws.
  static func decodedIfPresent(from row: Row) throws -> Self?
}

extension RowDecodable {
  /// Returns `decoded(from:)`.
  public static func decodedIfPresent(from row: Row) throws -> Self? { try decoded(from: row) }
}
