import KindredSQLSyntax
import OrderedCollections

/// A fact about the SQL of a statement that its plan needs, noted by the code that writes the SQL.
package enum PlanNote: SQLNote {
  /// Its value depends on more than the database, such as the clock or random numbers.
  case volatile
  /// The literal of this number is compared as a text, whatever it is.
  case plainText(Int)
  /// It has a full-text pattern to validate before the first byte is sent.
  case search(Plan.SearchCheck)
  /// It reads a transient table.
  case transient(TransientTable)
  /// An index would find its records.
  case missingIndex(MissingIndex)
  /// No index can serve a foreign key: a sentence with the reason.
  case mismatch(String)
}

extension Plan {
  /// Adds the notes of the SQL of its statements, and the indexes that its selects lack.
  mutating func addNotes(_ lacking: [MissingIndex] = []) {
    let notes = OrderedSet(statements.flatMap(\.notes))
    // Texts of the model, such as the value of a parameter; those of requests are looked at with each request.
    isTimeless =
      !notes.contains(.volatile) && !statements.contains { $0.bindings.contains(where: \.mayNameTime) }
    var missing: [MissingIndex] = []
    for note in notes {
      switch note {
      case .volatile: break
      case .plainText(let number): plainTexts.insert(number)
      case .search(let check): searches.append(check)
      case .transient(let table): add(table)
      case .missingIndex(let index): missing.append(index)
      case .mismatch(let reason): mismatches.append(reason)
      }
    }
    missingIndexes = MissingIndex.sufficient(missing + lacking).map(\.statement)
  }

  /// Adds a transient table, which needs all of its rows if it is read in different ways.
  private mutating func add(_ table: TransientTable) {
    guard let place = transients.firstIndex(where: { $0.name == table.name }) else {
      return transients.append(table)
    }
    if transients[place].parents != table.parents { transients[place].parents = nil }
  }
}

extension SQL.Binding {
  /// Whether it is a known text that may name a time.
  fileprivate var mayNameTime: Bool { if case .value(let value) = self { value.mayNameTime } else { false } }
}
