import KindredCryptography

/// A numbered SQL file that is applied to a database once.
public struct Migration: Hashable, Sendable {
  /// The number that determines the order: `1` for `0001-schema.sql`.
  public let number: Int64
  /// The name of the file.
  public let fileName: String
  /// The text of the file: one or more statements.
  public let sql: String
  /// The SHA-256 of the text, in hexadecimal digits.
  public let checksum: String

  /// Creates a migration from the name and the text of its file.
  ///
  /// - Throws: `MigrationError` if the name is not of the form `NUMBER-NAME.sql`.
  public init(fileName: String, sql: String) throws {
    let digits = fileName.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), fileName.hasSuffix(".sql"),
      fileName.dropFirst(digits.count).first == "-"
    else { throw MigrationError(.misnamed, file: fileName) }
    self.number = number
    self.fileName = fileName
    self.sql = sql
    checksum = HashFunction.sha256.digest(of: Array(sql.utf8)).hexadecimal
  }
}
