import KindredSQLSyntax

/// References of written records to records that weren't visible, and may be written later: by keys that the database
/// checks at the end of the transaction, or between several records of one content.
///
/// An object, so that the steps of a write share it.
final class PostponedReferences {
  /// A reference with the values of its columns.
  struct Entry {
    let record: WrittenRecord
    let reference: TestedReference
    let values: [SQLValue]
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  func add(_ entry: Entry) { entries.append(entry) }

  /// Removes and returns the references for which `isDue` is true; by default all.
  @discardableResult
  func removeAll(where isDue: (Entry) -> Bool = { _ in true }) -> [Entry] {
    defer { entries.removeAll(where: isDue) }
    return entries.filter(isDue)
  }
}
