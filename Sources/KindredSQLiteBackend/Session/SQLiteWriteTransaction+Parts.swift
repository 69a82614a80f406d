import CKindredSQLite
import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// BLOBs that are stored in parts, by incremental I/O (<https://www.sqlite.org/c3ref/blob_open.html>).
extension SQLiteWriteTransaction {
  /// Returns whether no trigger, constraint, index or generated column reads the column, since none would see the bytes.
  func storesParts(of column: String, in table: Table) throws -> Bool {
    guard table.kind == .table, table.rowIDName != nil, !table.hasTriggers,
      !table.columns.contains(where: { $0.isGenerated && !$0.isComputed }),
      !table.foreignKeys.contains(where: { $0.columns.contains(column) })
    else { return false }
    let dependent = try connection.rows(
      """
      SELECT 1 FROM main.sqlite_schema
      WHERE type = 'table' AND name = ?1 COLLATE NOCASE AND instr(lower(sql), 'check') > 0
      UNION ALL
      SELECT 1 FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS item
      WHERE list.partial OR item.cid = -2 OR item.name = ?2 COLLATE NOCASE
      """, [.text(table.name), .text(column)]
    ) { $0.row }
    return dependent.isEmpty
  }

  func storeParts(
    of column: String, in table: Table, of record: [(column: String, value: SQLValue)], byteCount: Int,
    _ bytes: (_ store: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    // The limit is for values that are held in memory.
    let limit = sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, .max)
    defer { sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, limit) }
    let condition = record.indices.map { "\(SQL.quoted(record[$0].column)) IS ?\($0 + 2)" }
    let rowIDs = try connection.rows(
      """
      UPDATE main.\(SQL.quoted(table.name)) SET \(SQL.quoted(column)) = zeroblob(?1)
      WHERE \(condition.joined(separator: " AND ")) RETURNING \(SQL.quoted(table.rowIDName ?? "rowid"))
      """, [.integer(Int64(byteCount))] + record.map(\.value)
    ) { $0.row }
    for case .integer(let rowID) in rowIDs.compactMap(\.first) {
      let blob = try StoredBlobWriter(column, in: table.name, rowID, on: connection)
      try bytes(blob.append)
    }
  }
}

/// Replaces the bytes of a stored BLOB, whose length stays.
private final class StoredBlobWriter {
  private let handle: OpaquePointer
  private let connection: Connection
  private var offset = 0

  init(_ column: String, in table: String, _ rowID: Int64, on connection: Connection) throws {
    var handle: OpaquePointer?
    let code = sqlite3_blob_open(connection.handle, "main", table, column, rowID, 1, &handle)
    guard code == SQLITE_OK, let handle else {
      sqlite3_blob_close(handle)
      throw connection.error(code)
    }
    (self.handle, self.connection) = (handle, connection)
  }

  deinit { sqlite3_blob_close(handle) }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    let code = sqlite3_blob_write(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
    guard code == SQLITE_OK else { throw connection.error(code) }
    offset += bytes.count
  }
}
