import KindredCryptography

/// A numbered SQL file that is applied to a database once.
public struct Migration: Hashable, Sendable {
  /// The number that determines the order: `1` for `0001-schema.sql`.
  public let number: Int64
  /// The name of the file.
  public let fileName: String
  /// The text of the file: one or more statements.
  public let sql: String
  /// The SHA-256 of the text with LF as line breaks, in hexadecimal digits: a checkout may change line breaks.
  public let checksum: String

  /// Whether it runs in a transaction, where the database knows others: its first line isn't `-- no transaction`.
  var isTransaction: Bool {
    let first = sql.prefix { !$0.isNewline }
    return first.firstMatch(of: /^\u{FEFF}?-- no transaction\s*$/) == nil
  }

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
    checksum = Self.checksum(of: sql.replacing("\r\n", with: "\n"))
  }

  /// Returns whether a checksum is that of this text.
  ///
  /// Former versions recorded that of the text with its own line breaks.
  func hasChecksum(_ text: String) -> Bool { text == checksum || text == Self.checksum(of: sql) }

  private static func checksum(of text: String) -> String {
    HashFunction.sha256.digest(of: Array(text.utf8)).hexadecimal
  }
}
