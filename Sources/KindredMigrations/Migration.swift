import KindredCryptography

/// A numbered SQL file that changes the schema or the data once.
public struct Migration: Hashable, Sendable {
  /// Its place in the order: `1` for `0001-schema.sql`.
  public let number: Int64
  /// The name of the file.
  public let fileName: String
  /// Its text: one or several statements.
  public let sql: String
  /// The SHA-256 of the text, in hexadecimal digits.
  public let checksum: String

  /// A migration of that file name and text.
  ///
  /// - Throws: `MigrationError` where the name is not `NUMBER-NAME.sql`.
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
