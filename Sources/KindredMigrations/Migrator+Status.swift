extension Migrator {
  /// A file, and whether it has been applied.
  public struct Status: Sendable {
    /// The file.
    public let migration: Migration
    /// When it was applied, in UTC; nil if it hasn't been.
    public let appliedAt: String?
  }

  /// Returns the name of the next file of a directory: `0003-NAME.sql`, with as many digits as the others.
  public func nextFileName(_ name: String) -> String {
    let last = migrations.last
    let digits = last?.fileName.prefix { $0.isNumber }.count ?? 4
    let number = String((last?.number ?? 0) + 1)
    return String(repeating: "0", count: max(0, digits - number.count)) + number + "-\(name).sql"
  }
}
