import KindredSQLSyntax
import OrderedCollections

/// A fact about the SQL of a statement that its plan needs, noted by the code that writes the SQL.
package enum PlanNote: SQLNote {
  /// Its value depends on more than the database, such as the clock or random numbers.
  case volatile
  /// It has a full-text pattern to validate before the first byte is sent.
  case search(Plan.SearchCheck)
  /// It reads a transient table.
  case transient(TransientTable)
  /// An index would find its records: a complete `CREATE INDEX` statement.
  case missingIndex(String)
  /// No index can serve a foreign key: a sentence with the reason.
  case mismatch(String)
}

extension Plan {
  /// Adds the notes of the SQL of its statements.
  mutating func addNotes() {
    let notes = OrderedSet(statements.flatMap(\.notes))
    guard !notes.isEmpty else { return }
    isTimeless = !notes.contains(.volatile)
    for note in notes {
      switch note {
      case .volatile: break
      case .search(let check): searches.append(check)
      case .transient(let table): transients.append(table)
      case .missingIndex(let statement): missingIndexes.append(statement)
      case .mismatch(let reason): mismatches.append(reason)
      }
    }
  }
}
