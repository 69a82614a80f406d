/// An index of a table.
public struct IndexInfo: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The columns; expressions are left out.
  public let columns: [String]
  /// Whether no two rows have equal values.
  public let isUnique: Bool
  /// How it was created.
  public let origin: Origin

  /// How an index was created.
  public struct Origin: RawRepresentable, Hashable, Sendable {
    /// SQLite's letter.
    public let rawValue: String

    /// Creates an origin from SQLite's letter.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// By `CREATE INDEX`.
    public static let createIndex = Origin(rawValue: "c")
    /// By a `UNIQUE` constraint.
    public static let uniqueConstraint = Origin(rawValue: "u")
    /// By a `PRIMARY KEY` constraint.
    public static let primaryKeyConstraint = Origin(rawValue: "pk")
  }
}
