import KindredBackend

extension Backend {
  /// The tables that `ANALYZE` should be run for, in one line, for the log of a start and `kindred serve --check`; none where
  /// it wouldn't help, or while the database can't be read.
  var statisticsNotices: [String] {
    guard let reading = try? read(.waiting, as: nil, cancellation: nil, seconds: 1) else { return [] }
    defer { reading.close() }
    guard let statistics = try? reading.plannerStatistics() else { return [] }
    let tables = statistics.missing.isEmpty ? statistics.stale : statistics.missing
    guard !tables.isEmpty else { return [] }
    let state = statistics.missing.isEmpty ? "old" : "no"
    let shown = tables.prefix(5).joined(separator: ", ") + (tables.count > 5 ? ", …" : "")
    return [
      "the database has \(state) statistics of \(tables.count == 1 ? "the table" : "\(tables.count) tables:") \(shown); run ANALYZE, so that it takes the right indexes"
    ]
  }
}
