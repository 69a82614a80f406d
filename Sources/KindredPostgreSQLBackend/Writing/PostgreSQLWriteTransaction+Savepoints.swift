import KindredPostgreSQL

extension PostgreSQLWriteTransaction {
  static func savepoint(_ name: String) -> Query { Query("SAVEPOINT \(name)", isReusable: false) }
  static func release(_ name: String) -> Query { Query("RELEASE \(name)", isReusable: false) }
  static func undo(_ name: String) -> Query { Query("ROLLBACK TO \(name)", isReusable: false) }

  /// Undoes the changes since a savepoint, after an error, which it doesn't replace.
  func undo(_ savepoint: String) {
    do {
      _ = try run([Self.undo(savepoint)])
    } catch {
      isOpen = false
    }
  }
}
