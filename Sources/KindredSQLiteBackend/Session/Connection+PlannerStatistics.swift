import KindredBackend
import KindredSQLSyntax
import KindredSQLite

/// The statistics of SQLite's planner (<https://www.sqlite.org/fileformat2.html#stat1tab>).
///
/// Without them, SQLite takes two indexes with an equality each for equally good.
extension Connection {
  /// The number of rows that are read as quickly without statistics.
  private static let fewRows: Int64 = 100
  /// The growth by which statistics become old, and the number of rows up to which it is looked at, as each is visited.
  private static let (growth, mostRows): (Int64, Int64) = (10, 100_000)

  /// Returns the tables with indexes that have no statistics, or old ones.
  ///
  /// A partial index may have no rows, and has no statistics then.
  func plannerStatistics() throws -> PlannerStatistics {
    let indexes = try rows(
      """
      SELECT entry.name, list.name FROM main.sqlite_schema AS entry \
      JOIN pragma_index_list(entry.name, 'main') AS list \
      WHERE entry.type = 'table' AND list.origin = 'c' AND NOT list.partial
      """
    ) { (table: $0.text(0) ?? "", index: $0.text(1) ?? "") }
    let known = try analyzedRows()
    var statistics = PlannerStatistics()
    for (table, indexes) in Dictionary(grouping: indexes, by: \.table).sorted(by: { $0.key < $1.key }) {
      guard let analyzed = known[table.lowercased()] else {
        if try hasMoreRows(than: Self.fewRows, in: table) { statistics.missing.append(table) }
        continue
      }
      let rows = analyzed.values.max() ?? 0
      let isOld = indexes.contains { analyzed[$0.index.lowercased()] == nil }
      let least = isOld ? Self.fewRows : max(Self.growth * rows, Self.fewRows)
      if least <= Self.mostRows, try hasMoreRows(than: least, in: table) { statistics.stale.append(table) }
    }
    return statistics
  }

  /// The numbers of rows of tables and their indexes when they were analyzed, by names in lower case.
  private func analyzedRows() throws -> [String: [String: Int64]] {
    let exists = try rows("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_stat1'") { _ in true }
    guard !exists.isEmpty else { return [:] }
    var known: [String: [String: Int64]] = [:]
    let statistics = try rows("SELECT tbl, idx, CAST(stat AS INTEGER) FROM main.sqlite_stat1") {
      (table: $0.text(0) ?? "", index: $0.text(1) ?? "", rows: $0.int64(2))
    }
    for entry in statistics {
      known[entry.table.lowercased(), default: [:]][entry.index.lowercased()] = entry.rows
    }
    return known
  }

  private func hasMoreRows(than number: Int64, in table: String) throws -> Bool {
    try !rows("SELECT 1 FROM main.\(SQL.quoted(table)) LIMIT 1 OFFSET ?", [.integer(number)]) { _ in true }
      .isEmpty
  }
}
