import KindredSQLite

/// The effects of statements by their SQL, for one state of the schema, since triggers and views contribute to them.
///
/// Each connection has its own: it alone has its temporary and attached tables, and the tables that its transaction
/// has created.
struct KnownEffects {
  /// The maximum number of statements remembered, which suffices for a program that binds its values.
  private static let capacity = 1000

  private var version: DatabaseSchema.Version?
  private var effects: [String: StatementEffects] = [:]

  func effects(of sql: String, _ version: DatabaseSchema.Version) -> StatementEffects? {
    self.version == version ? effects[sql] : nil
  }

  mutating func keep(_ found: StatementEffects, of sql: String, _ version: DatabaseSchema.Version) {
    if self.version != version || effects.count >= Self.capacity {
      (self.version, effects) = (version, [:])
    }
    effects[sql] = found
  }
}
