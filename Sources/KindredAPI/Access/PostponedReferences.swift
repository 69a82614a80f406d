import KindredModel
import KindredRequests
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

/// A reference of an import to a record out of sight, which a later line may add.
///
/// The record that refers has been stored and tested; it isn't kept, since an import may have any number of records.
struct PendingReference: Hashable {
  let reference: TestedReference
  let values: [SQLValue]
  /// The table of the record that refers.
  private let table: String

  /// The largest number that an import remembers.
  static let largestCount = 1 << 17

  init(_ entry: PostponedReferences.Entry) {
    (reference, values, table) = (entry.reference, entry.values, entry.record.written.resource.table.name)
  }

  static func == (one: Self, other: Self) -> Bool {
    one.values == other.values && one.reference.columns == other.reference.columns && one.table == other.table
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(values)
    hasher.combine(reference.columns)
    hasher.combine(table)
  }

  /// Returns the place in a draft that has this reference; nil if it hasn't.
  func place(in draft: RecordDraft, of resource: WrittenResource) -> JSONPointer? {
    let isHere =
      resource.table.name == table
      && zip(reference.columns, values).allSatisfy { draft.value(of: $0)?.isSameKey(as: $1) ?? false }
    if isHere { return draft.pointer }
    for nested in draft.nested {
      for record in nested.records {
        if let place = place(in: record, of: nested.resource) { return place }
      }
    }
    return nil
  }
}

extension WriteRules {
  /// Notes a reference that is tested at the end; returns false if it is to be tested at once.
  ///
  /// - Throws: `RequestError` if an import has too many.
  func postpones(_ entry: PostponedReferences.Entry) throws -> Bool {
    if memory.pending.count >= PendingReference.largestCount {
      _ = try firstPendingReference()
      guard memory.pending.count < PendingReference.largestCount / 2 else {
        throw RequestError(
          .limitExceeded,
          "more than \(memory.pending.count) references lead to records that follow; put these first, or split the content"
        )
      }
    }
    return memory.postpones(entry)
  }

  /// Returns the first reference of an import that still leads to no record in sight, and forgets all that do; nil if
  /// there is none.
  func firstPendingReference() throws -> PendingReference? {
    guard !memory.pending.isEmpty else { return nil }
    memory.removePending(try areInSight(memory.pending.map { ($0.reference, $0.values) }))
    return memory.pending.first
  }
}
