import KindredSQLSyntax

/// References of written records to records that weren't visible, by keys that the database checks at the end of the
/// transaction.
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

  func add(_ entry: Entry) { entries.append(entry) }

  /// Removes and returns all references.
  @discardableResult
  func removeAll() -> [Entry] {
    defer { entries = [] }
    return entries
  }
}
