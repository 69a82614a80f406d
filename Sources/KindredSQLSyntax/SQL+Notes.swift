/// A fact about SQL that its text doesn't show, such as that its value depends on the clock.
///
/// The code that writes the SQL attaches the note, so that the text never has to be analysed.
public protocol SQLNote: Hashable, Sendable {}

extension SQLNote {
  fileprivate func isSame(as other: any SQLNote) -> Bool { (other as? Self) == self }
}

extension SQL {
  /// Returns the SQL with a note.
  public func noted(_ note: some SQLNote) -> SQL {
    var sql = self
    sql.note(note)
    return sql
  }

  /// Adds a note.
  public mutating func note(_ note: some SQLNote) {
    if !notes.contains(where: { note.isSame(as: $0) }) { notes.append(note) }
  }

  /// Returns the SQL without the notes for which `isMeant` returns true.
  public func removingNotes(where isMeant: (any SQLNote) -> Bool) -> SQL {
    var sql = self
    sql.notes.removeAll(where: isMeant)
    return sql
  }

  /// Adds the notes of other SQL.
  mutating func addNotes(of other: SQL) {
    guard !other.notes.isEmpty else { return }
    guard !notes.isEmpty else {
      notes = other.notes
      return
    }
    for note in other.notes { self.note(note) }
  }
}
