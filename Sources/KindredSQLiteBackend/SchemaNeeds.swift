import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLite

/// Finds what a schema needs that this server lacks: functions, collations and modules of the program by which the
/// database was made.
///
/// SQLite itself tells, when it compiles a statement for each kind of change to each table.
struct SchemaNeeds {
  private let connection: Connection
  /// The names of the collations that are missing, in lower case.
  let missingCollations: Set<String>
  /// The parts of the schema that may need something; read once something is missing.
  private var parts: [SchemaPart]?
  /// What is missing and where, and what follows from it.
  private var findings: [(reason: String, effects: [String])] = []

  init(_ connection: Connection) throws {
    self.connection = connection
    // `PRAGMA collation_list` also has the collations that the schema names.
    missingCollations = try connection.withCollationStandIns(false) {
      Set(
        try connection.texts("SELECT name FROM pragma_collation_list").filter { name in
          let sql: SQL = "SELECT '' = '' COLLATE \(identifier: name)"
          return !connection.partsMissing(for: sql.rendered().text).isEmpty
        }.map(\.foldingASCIICase))
    }
  }

  /// What is missing, and what follows, one line each.
  var lines: [String] {
    findings.map { "\($0.reason): \($0.effects.joined(separator: ", and "))" }
  }

  private mutating func note(_ reason: String, _ effect: String) {
    guard let place = findings.firstIndex(where: { $0.reason == reason }) else {
      findings.append((reason, [effect]))
      return
    }
    findings[place].effects.append(effect)
  }

  // MARK: Reading

  /// Removes the columns of a table or a view whose values can't be computed.
  ///
  /// - Returns: What a view lacks, none of whose columns can be computed.
  mutating func removeUnreadableColumns(of draft: inout TableDraft) throws -> MissingPart? {
    let isView = draft.kind == .view
    let candidates = draft.columns.filter { isView || $0.isGenerated }
    guard !candidates.isEmpty, !missing(in: candidates, of: draft).isEmpty else { return nil }
    var reasons: [MissingPart] = []
    for column in candidates {
      guard let part = missing(in: [column], of: draft).first else { continue }
      reasons.append(part)
      draft.columns.removeAll { $0.name == column.name }
      draft.returnsColumns = false
      let reason =
        isView
        ? SchemaPart("the column \(column.name) of \(draft.name)", of: draft.name).reason(part)
        : try self.reason(part, .all, of: draft.table) {
          $0.hasSuffix(" \(column.name.foldingASCIICase) of \(draft.name)")
        }
      if !draft.columns.isEmpty { note(reason, "the column \(column.name) is not served") }
    }
    return isView && draft.columns.isEmpty ? reasons.first : nil
  }

  private func missing(in columns: [Column], of draft: TableDraft) -> [MissingPart] {
    let list = columns.map { "\(identifier: $0.name)" as SQL }.joined(separator: ", ")
    return connection.partsMissing(
      for: ("SELECT \(list) FROM \(identifier: draft.name)" as SQL).rendered().text)
  }

  /// Notes which columns have defaults that can't be computed.
  mutating func examineDefaults(of draft: inout TableDraft) {
    let calls = draft.columns.indices.filter {
      draft.columns[$0].defaultValue?.rendered().text.contains("(") ?? false
    }
    func missing(_ places: [Int]) -> MissingPart? {
      let list = places.compactMap { draft.columns[$0].defaultValue }.joined(separator: ", ")
      return connection.partsMissing(for: ("SELECT \(list)" as SQL).rendered().text).first
    }
    guard !calls.isEmpty, missing(calls) != nil else { return }
    for place in calls {
      guard let part = missing([place]) else { continue }
      let name = draft.columns[place].name
      draft.columns[place].missingDefault = part.name
      note(
        SchemaPart("the default of the column \(name) of \(draft.name)", of: draft.name).reason(part),
        "new records of \(draft.name) need a value for it")
    }
  }

  // MARK: Collations

  /// Makes statements compare the columns of a table or a view by bytes whose collation is missing.
  mutating func substitute(_ draft: inout TableDraft, _ collations: [String: String]) {
    guard !missingCollations.isEmpty else { return }
    for column in draft.columns {
      guard let collation = collations[column.name] else { continue }
      let part = SchemaPart("the column \(column.name) of \(draft.name)", of: draft.name)
      note(part.reason(.collation(collation)), "it is compared by its bytes")
    }
    let isView = draft.kind == .view
    let byBytes = isView ? comparesByMissing(draft) : !collations.isEmpty
    guard byBytes else { return }
    let rowID = draft.rowIDName.flatMap { name in
      draft.columns.contains { $0.name.equalsIgnoringCase(name) } ? nil : Column(name: name)
    }
    let list = (draft.columns + [rowID].compactMap(\.self)).map { column -> SQL in
      let name: SQL = "\(identifier: column.name)"
      let isCompared = isView ? column.collation == "BINARY" : collations[column.name] != nil
      return isCompared ? "\(name) COLLATE BINARY AS \(name)" : name
    }
    draft.substitute = "(SELECT \(list.joined(separator: ", ")) FROM \(identifier: draft.name))"
    draft.orderingIndexes = []
  }

  /// Whether a column of a view is compared by a collation that is missing.
  private func comparesByMissing(_ draft: TableDraft) -> Bool {
    let list = draft.columns.map { "\(identifier: $0.name) = ''" as SQL }.joined(separator: ", ")
    let sql: SQL = "SELECT \(list) FROM \(identifier: draft.name)"
    return connection.withCollationStandIns(false) {
      !connection.partsMissing(for: sql.rendered().text).isEmpty
    }
  }

  /// Returns the index by which a view finds rows although its collation is missing, so that they would be other rows.
  func indexMisread(by view: TableDraft) throws -> String? {
    guard !missingCollations.isEmpty else { return nil }
    let sql: SQL = "EXPLAIN QUERY PLAN SELECT * FROM \(identifier: view.name)"
    let searches = try connection.rows(sql.rendered().text) { $0.text(3) ?? "" }.filter {
      $0.hasPrefix("SEARCH")
    }
    guard !searches.isEmpty else { return nil }
    let indexes = try collatedIndexes().map(\.index)
    return indexes.first { index in searches.contains { $0.contains("INDEX \(index) ") } }
      ?? (searches.contains { $0.contains("USING PRIMARY KEY") }
        ? indexes.first { $0.hasPrefix("sqlite_autoindex_") } : nil)
  }

  // MARK: Writing

  /// Finds what changes to the records of tables need.
  ///
  /// - Parameter definitions: The SQL of the tables, by their names.
  mutating func findObstacles(in drafts: inout [TableDraft], _ definitions: [String: String]) throws {
    try connection.withCollationStandIns(false) {
      for place in drafts.indices {
        let table = drafts[place].table
        var obstacles = Obstacles()
        for (change, sql) in table.sampleChanges {
          for part in connection.partsMissing(for: sql.rendered().text) {
            let related = drafts.filter { $0.table.refersTo(table) || table.refersTo($0.table) }
            for reason in try reasons(part, change, of: table, related.map(\.name.foldingASCIICase)) {
              obstacles.add(change, reason)
            }
          }
        }
        if table.kind == .table, let sql = definitions[table.name] {
          addChecks(of: table, sql, to: &obstacles)
        }
        drafts[place].obstacles = obstacles.all.map { WriteObstacle($0.changes, $0.reason) }
        for obstacle in obstacles.all {
          note(obstacle.reason, "records of \(table.name) can't be \(obstacle.changes.participles)")
        }
      }
    }
  }

  /// The reasons why records of a table can't be changed, each with the changes.
  private struct Obstacles {
    private(set) var all: [(reason: String, changes: Table.Changes)] = []

    mutating func add(_ changes: Table.Changes, _ reason: String) {
      if let known = all.firstIndex(where: { $0.reason == reason }) {
        all[known].changes.formUnion(changes)
      } else {
        all.append((reason, changes))
      }
    }
  }

  /// Adds what `CHECK` constraints need, which a connection that only reads doesn't compile.
  private func addChecks(of table: Table, _ sql: String, to obstacles: inout Obstacles) {
    guard sql.foldingASCIICase.contains("check") else { return }
    for check in SQLTokens.checks(in: sql) {
      let test: SQL = "SELECT 1 FROM \(table.reference) WHERE (\(SQL(trusted: check.expression)))"
      let part = SchemaPart(SchemaPart.description(ofCheck: check.name, of: table.name), of: table.name)
      for missing in connection.partsMissing(for: test.rendered().text) {
        obstacles.add([.insert, .update], part.reason(missing))
      }
    }
  }

  /// Returns why a change of a table needs something.
  ///
  /// - Parameter related: The tables to which it refers, or that refer to it, in lower case.
  private mutating func reasons(
    _ missing: MissingPart, _ change: Table.Changes, of table: Table, _ related: [String]
  ) throws -> [String] {
    let parts = try allParts().filter { $0.names(missing) && $0.changes.contains(change) }
    let own = parts.filter { $0.table == table.name.foldingASCIICase }
    if !own.isEmpty { return own.map { $0.reason(missing) } }
    // What a trigger or a foreign key leads to.
    if let other = parts.first(where: { related.contains($0.table) }) ?? parts.first {
      return [other.reason(missing)]
    }
    return [SchemaPart("what \(table.name) refers to", of: table.name).reason(missing)]
  }

  private mutating func reason(
    _ missing: MissingPart, _ change: Table.Changes, of table: Table, _ isWanted: (String) -> Bool
  ) throws -> String {
    let part = try allParts().first { isWanted($0.description) }
    return (part ?? SchemaPart("a column of \(table.name)", of: table.name)).reason(missing)
  }

  private mutating func allParts() throws -> [SchemaPart] {
    if let parts { return parts }
    let parts =
      try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL") {
        row in
        SchemaPart.all(row.text(0) ?? "", row.text(1) ?? "", of: row.text(2) ?? "", row.text(3) ?? "")
      }.joined()
      + collatedIndexes().map { found in
        let isOfKey = found.index.hasPrefix("sqlite_autoindex_")
        return SchemaPart(
          isOfKey ? "a key of \(found.table)" : "the index \(found.index)", of: found.table,
          [.word(found.collation)])
      }
    self.parts = parts
    return parts
  }

  /// Returns the indexes, declared or of keys, with collations that are missing.
  private func collatedIndexes() throws -> [(table: String, index: String, collation: String)] {
    guard !missingCollations.isEmpty else { return [] }
    return try connection.rows(
      """
      SELECT DISTINCT t.name, i.name, c.coll
      FROM sqlite_schema AS t, pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS c
      WHERE t.type = 'table' AND c.key
      """
    ) { (table: $0.text(0) ?? "", index: $0.text(1) ?? "", collation: $0.text(2) ?? "") }
    .filter { missingCollations.contains($0.collation.foldingASCIICase) }
  }
}

extension Table {
  fileprivate func refersTo(_ other: Table) -> Bool { foreignKeys.contains { $0.destination == other.name } }

  /// A statement for each kind of change that clients can make to its records, which changes all columns.
  fileprivate var sampleChanges: [(Changes, SQL)] {
    let columns = columns.filter { !$0.isGenerated }.map { "\(identifier: $0.name)" as SQL }
    guard !columns.isEmpty else { return [] }
    let list = columns.joined(separator: ", ")
    // Not NULL, of which SQLite may know what a constraint says.
    let values = columns.map { _ in "?" as SQL }.joined(separator: ", ")
    let changes = columns.map { "\($0) = ?" as SQL }.joined(separator: ", ")
    let all: [(Changes, SQL)] = [
      (.insert, "INSERT INTO \(reference) (\(list)) VALUES (\(values))"),
      (.update, "UPDATE \(reference) SET \(changes)"),
      // Without a condition, SQLite would empty the table without looking at its records.
      (.delete, "DELETE FROM \(reference) WHERE ?1"),
    ]
    return all.filter { possibleChanges.contains($0.0) }
  }
}

extension Table.Changes {
  /// "added, changed or deleted".
  fileprivate var participles: String {
    let words = [(Self.insert, "added"), (.update, "changed"), (.delete, "deleted")].filter { contains($0.0) }
      .map(\.1)
    return words.count < 2
      ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
  }
}
