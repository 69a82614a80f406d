import CKindredOpenSSL

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
    checksum = Self.sha256(Array(sql.utf8))
  }

  private static func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(bytes, bytes.count, &digest)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
