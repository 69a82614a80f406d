import KindredAssociations
import KindredOutput
import KindredSQLite
import KindredSQLSyntax

/// The places where pages begin and end.
extension PlanExecutor {
  /// The cursor of the last record of a page, as it can be handed out: bounded in size, and with the number of equal
  /// records that have been passed.
  func finished(_ last: Cursor) throws -> Cursor {
    var cursor = last
    if let passed = executable.plan.passed {
      var parameters = parameters
      parameters.cursor?.values += last.values
      parameters.cursor = parameters.cursor ?? last
      cursor.passed = try connection.withStatement(passed.sql) { statement in
        try bind(passed, to: statement, parameters)
        return try statement.step() ? statement.int64(0) : 0
      }
    }
    return try cursor.abridged { try digest(of: last) }
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

  /// The whole values of an abridged cursor, by the record that it was made of.
  ///
  /// Where that record is no longer the same, the page begins with the first one that has such a beginning: it may
  /// repeat records, but leaves none out.
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

  /// Values that are before those of a record that has the beginnings of a cursor, and after all that come before.
  private func nearest(_ cursor: Cursor) throws -> [Cursor.Value] {
    let isDescending = executable.plan.cursorIsDescending
    var values = cursor.values
    guard let first = values.firstIndex(where: { !$0.isWhole }), isDescending.indices.contains(first) else {
      throw RequestError(
        .invalidValue, "the record that the page before ended with has changed: begin without `after`",
        at: Origin(parameter: "after"))
    }
    // What begins alike is less than a text that goes on with the greatest byte.
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
