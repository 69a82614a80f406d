/// What observers keep with a connection from one access to the next.
final class ObserverMemory: ConnectionMemory {
  /// The effects of the statements that observers have queried.
  var effects = KnownEffects()
  /// What has been changed in a transaction that the last access has left open; nil if there is none.
  var uncommitted: UncommittedChanges?

  /// Returns what is kept with the connection of these callbacks.
  static func of(_ hooks: ConnectionHooks) -> ObserverMemory {
    if let known = hooks.memory as? ObserverMemory { return known }
    let memory = ObserverMemory()
    hooks.memory = memory
    return memory
  }

  func forgetSchema() { effects = KnownEffects() }

  func forgetChanges() { uncommitted = nil }
}

/// What a connection has changed.
struct UncommittedChanges {
  /// The SQL of the statements that have changed something.
  var statements: Set<String> = []
  /// The changes that SQLite doesn't report.
  var announced = DatabaseChanges()
  /// The version of the schema before them; nil if it is not known.
  var version: DatabaseSchema.Version?

  var isEmpty: Bool { statements.isEmpty && announced.isEmpty }

  mutating func formUnion(_ other: UncommittedChanges) {
    statements.formUnion(other.statements)
    announced.formUnion(other.announced)
  }
}
