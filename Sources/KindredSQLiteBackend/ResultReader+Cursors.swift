import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import KindredOutput
import KindredSQLite
import KindredSQLSyntax

/// Page cursors, which mark where a page ends and the next one begins.
extension ResultReader {
  /// Returns the cursor of a page's first or last record as clients receive it: bounded in size, and with the number of
  /// equal records that precede it.
  ///
  /// - Parameter passed: The statement that counts those; nil if no two records can be equal.
  func finished(_ record: Cursor, _ passed: Plan.Statement?) throws -> Cursor {
    var cursor = record
    cursor.time = time
    if let passed {
      var parameters = parameters
      parameters.cursor?.values += record.values
      parameters.cursor = parameters.cursor ?? record
      cursor.passed = try connection.withStatement(passed.sql) { statement in
        try bind(passed, to: statement, parameters)
        return try statement.step() ? statement.int64(0) : 0
      }
    }
    return try cursor.abridged(isHidden: executable.plan.cursorIsHidden) { try digest(of: record) }
  }

  private func digest(of cursor: Cursor) throws -> [UInt8] {
    let values = cursor.values.indices.map { "\(.cursor($0))" as SQL }
    let (sql, bindings) = ("SELECT \(SQL.digest(of: values))" as SQL).rendered()
    let statement = try connection.prepare(sql)
    let parameters = Parameters(literals: [], cursor: cursor)
    for (index, binding) in bindings.enumerated() {
      try parameters.bind(binding, at: Int32(index + 1), to: statement)
    }
    guard try statement.step() else { return [] }
    return Array(statement.bytes(0))
  }

  /// Returns an abridged cursor with its values completed from the record that it was made from.
  ///
  /// If that record has changed, the page begins at the first record, in the direction in which it is found, whose values
  /// begin like those of the cursor: it may repeat records, but omits none.
  func whole(_ cursor: Cursor?, by anchor: Plan.Statement) throws -> Cursor? {
    guard let cursor else { return nil }
    let found = try connection.withStatement(anchor.sql) { statement -> [Cursor.Value]? in
      try bind(anchor, to: statement)
      guard try statement.step() else { return nil }
      return (0..<statement.columnCount).map { statement.cursorValue($0) }
    }
    var whole = cursor
    whole.values = try found ?? nearest(cursor)
    return whole
  }

  /// Returns values that precede those of all records that begin like the cursor, and follow those of all records
  /// before these.
  private func nearest(_ cursor: Cursor) throws -> [Cursor.Value] {
    let isDescending = executable.plan.cursorIsDescending
    let place = executable.plan.isBackward ? "before" : "after"
    var values = cursor.values
    guard let first = values.firstIndex(where: { !$0.isWhole }), isDescending.indices.contains(first) else {
      throw RequestError(
        .invalidValue, "the record of the cursor has changed; start again without `\(place)`",
        at: Origin(parameter: place))
    }
    // Any text with this beginning is less than the beginning followed by the greatest bytes.
    let end: [UInt8] = isDescending[first] ? [0xFF, 0xFF, 0xFF, 0xFF] : []
    switch values[first] {
    case .textBeginning(let bytes): values[first] = .text(bytes + end)
    case .blobBeginning(let bytes): values[first] = .blob(bytes + end)
    case .null, .integer, .real, .text, .blob: break
    }
    while values.count < isDescending.count { values.append(.null) }
    return values
  }
}
