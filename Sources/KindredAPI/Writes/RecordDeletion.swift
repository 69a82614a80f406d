import KindredBackend
import KindredModel
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// Deletes records, or keeps them where the server sets columns of what is deleted.
struct RecordDeletion {
  let writer: RecordWriter
  let resource: WrittenResource
  /// Whether the path names the record, so that no other row may change.
  var isOne = false

  private var locators: [String] { resource.locatorColumns }

  /// Deletes records, testing all of them before the first is deleted; returns the number of deleted records.
  ///
  /// One that a trigger leaves out, but changes, was deleted in the trigger's own way.
  ///
  /// - Parameter records: The records, with ``columns(toDelete:)``.
  func delete(_ records: [StoredRecord]) throws -> Int {
    try writer.rules.willDelete(records, of: resource)
    guard !resource.permissions.keepsDeleted else { return try keep(records) }
    let deleted = try rows(deleting: records.map { $0.values(of: locators) })
    if isOne, deleted.contains(where: { $0 > 1 }) { throw Problem.severalRows }
    let left = zip(records, deleted).filter { $0.1 == 0 }.map(\.0)
    // A record may have been deleted by a cascade from another one.
    let columns = Self.columns(toDelete: resource)
    let present = try writer.inGroups(left) { left in
      try writer.present(
        resource,
        left.map {
          RecordWriter.Search(columns: locators, values: $0.values(of: locators), returned: columns)
        })
    }
    let ignored = zip(left, present).count { $1?.values(of: columns) == $0.values(of: columns) }
    if ignored > 0 { try writer.rules.didLeaveOut(recordsOf: resource) }
    return records.count - ignored
  }

  /// Sets the columns that a deletion sets, which keeps the records; returns the number of records that were changed.
  func keep(_ records: [StoredRecord]) throws -> Int {
    let presets = try writer.presets.presets(.delete, of: records, in: resource)
    let columns = resource.permissions.delete?.presets.map(\.column) ?? []
    let change = TableChange.update(
      of: columns.exact, resetting: [], by: locators.exact, returning: locators.exact,
      // A deletion replaces no other record.
      resource.table.replacesOnConflict ? .abort : .schema)
    var count = 0
    try writer.forEachGroup(of: Array(zip(records, presets))) { group in
      let changes = group.map { record, presets in
        (change: change, values: presets.map(\.value) + record.values(of: locators))
      }
      let rows = try writer.run(changes, on: resource.table) {
        Problem(refusing: $0, changing: resource.resource)
      }
      if isOne, rows.contains(where: { $0.count > 1 }) { throw Problem.severalRows }
      count += rows.count { !$0.isEmpty }
    }
    if count < records.count { try writer.rules.didLeaveOut(recordsOf: resource) }
    return count
  }

  /// Returns the columns that are needed of a record to delete it: if a trigger may change it instead, the columns that
  /// show this.
  static func columns(toDelete resource: WrittenResource) -> [String] {
    guard resource.table.hasTriggers, resource.table.kind == .table else {
      return resource.identifyingColumns
    }
    let stored = resource.table.columns.filter { !$0.isGenerated && $0.affinity != .blob }
    return WrittenResource.once(resource.identifyingColumns + stored.map(\.name))
  }

  /// Deletes the records with these keys, and returns how many rows each has deleted.
  ///
  /// Where the database checks foreign keys after each statement, it is one statement, so that records may refer to one
  /// another.
  private func rows(deleting keys: [[SQLValue]]) throws -> [Int] {
    func problem(_ error: any BackendError) -> Problem? {
      switch error.constraint {
      // A foreign key that is set to NULL or to its default may be that of a column that needs another value.
      case .foreignKey, .notNull, .check: .referredTo()
      default: Problem(refusing: error, changing: resource.resource)
      }
    }
    guard writer.transaction.checksEachStatement, keys.count > 1, keys.count * locators.count <= 1 << 15
    else {
      let deletion = TableChange.deletion(by: locators.exact)
      return try writer.inGroups(keys) { keys in
        try writer.run(keys.map { (deletion, $0) }, on: resource.table, problem).map(\.count)
      }
    }
    // Few shapes, of which each is a prepared statement.
    var count = 2
    while count < keys.count { count *= 2 }
    let padded = keys + Array(repeating: keys[0], count: count - keys.count)
    let rows = try writer.run(
      .deletions(by: locators.exact, count: count), padded.flatMap(\.self), on: resource.table, problem)
    let deleted = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
    return keys.map { deleted[$0] ?? 0 }
  }
}
