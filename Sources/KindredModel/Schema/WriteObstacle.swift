/// What keeps clients from changing records of a table: its schema needs something that this server lacks.
public struct WriteObstacle: Sendable, Hashable {
  /// The kinds of changes that need it.
  public let changes: Table.Changes
  /// What needs what, such as "the trigger note_sort calls the function title_sort, which this server doesn't have".
  public let reason: String

  /// Creates an obstacle to these changes.
  public init(_ changes: Table.Changes, _ reason: String) {
    (self.changes, self.reason) = (changes, reason)
  }
}

extension Table {
  /// Returns the first obstacle to any of these changes.
  public func obstacle(to changes: Changes) -> WriteObstacle? {
    obstacles.first { !$0.changes.isDisjoint(with: changes) }
  }
}
