/// A migration that a database has: a row of its table `kindred_migration`.
public struct AppliedMigration: Hashable, Sendable {
  /// The number of the file.
  public let number: Int64
  /// The name of the file.
  public let fileName: String
  /// The checksum of the file's text.
  let checksum: String
  /// When it was applied, in UTC: `2026-01-31 23:59:59`.
  public let time: String
}
