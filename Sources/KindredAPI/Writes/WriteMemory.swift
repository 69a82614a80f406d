import KindredModel
import KindredRequests
import OrderedCollections

/// What a write remembers until it ends.
final class WriteMemory {
  /// The references that are tested when all has been written.
  let postponed = PostponedReferences()
  /// Whether several records are written, which may refer to one another.
  private var isWhole = false
  /// The references of an import that lead to no record in sight yet, each once.
  private(set) var pending: OrderedSet<PendingReference> = []
  /// The first problem of a record that is reported only if all references lead to records in sight.
  private(set) var putOff: Problem?
  /// Whether it is an import, whose records are too many to be remembered.
  private var isImport = false
  /// The records that a later one may have replaced.
  private(set) var replaceable: [(record: StoredRecord, resource: WrittenResource, pointer: JSONPointer)] = []
  /// The records that are written after the records around them; nil where that makes no difference.
  private(set) var later: LaterRecords?
  /// New records with references that are still to be stored.
  private var puttingOff: [(record: StoredRecord, written: UnstoredRecord)] = []
  private var presets: [ExactName: [RecordDraft.Assignment]] = [:]

  /// The largest number of records that are remembered because others may replace them.
  private static let largestReplaceable = 1 << 17

  /// Begins a write of several records, whose references are tested when all are written.
  ///
  /// - Parameters:
  ///   - isImport: Whether the content may have any number of records.
  ///   - later: The records that are written after others that refer to them.
  func begin(isImport: Bool, _ later: LaterRecords?) {
    (isWhole, pending, self.isImport) = (true, [], isImport)
    (replaceable, puttingOff, self.later, putOff) = ([], [], later, nil)
  }

  /// Notes a problem for the end; returns false if no reference is still to be tested, so that it is to be reported now.
  func puts(off problem: Problem) -> Bool {
    guard isWhole, !pending.isEmpty || !postponed.isEmpty else { return false }
    putOff = putOff ?? problem
    return true
  }

  /// Notes the line of the content whose record has the problem that was noted last.
  func locateProblem(at line: Int?) {
    if putOff?.line == nil { putOff?.line = line }
  }

  /// Notes a new record with references that are still to be stored.
  func putOff(_ written: UnstoredRecord, of record: StoredRecord) { puttingOff.append((record, written)) }

  /// Returns the new records with references that are to be stored now.
  func takeLater() -> [(record: StoredRecord, written: UnstoredRecord)] {
    defer { puttingOff = [] }
    return puttingOff
  }

  /// Notes a reference that is tested at the end; returns false if it is to be tested at once.
  func postpones(_ entry: PostponedReferences.Entry) -> Bool {
    guard isWhole || entry.reference.isDeferred else { return false }
    if isImport {
      pending.append(PendingReference(entry))
    } else {
      postponed.add(entry)
    }
    return true
  }

  /// Forgets references of an import that lead to records in sight by now.
  func removePending(_ isInSight: [Bool]) {
    pending = OrderedSet(zip(pending, isInSight).filter { !$0.1 }.map(\.0))
  }

  /// Notes new records of a table whose constraints may let later ones replace them.
  ///
  /// - Throws: `RequestError` if there are too many.
  func note(_ records: [(record: StoredRecord, resource: WrittenResource, pointer: JSONPointer)]) throws {
    guard isWhole else { return }
    guard replaceable.count + records.count <= Self.largestReplaceable else {
      throw RequestError(
        .limitExceeded,
        "a table whose constraints replace records takes at most \(Self.largestReplaceable) in one request; split the content"
      )
    }
    replaceable += records
  }

  /// Returns the columns that the server sets in new records of a resource.
  func presets(
    of resource: WrittenResource, _ compute: () throws -> [RecordDraft.Assignment]
  ) rethrows -> [RecordDraft.Assignment] {
    let name = ExactName(resource.name)
    if let known = presets[name] { return known }
    let computed = try compute()
    presets[name] = computed
    return computed
  }
}
