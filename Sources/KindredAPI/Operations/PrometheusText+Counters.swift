import KindredBackend
import KindredHTTP

/// The metrics of the layers below the service.
extension PrometheusText {
  mutating func append(engine: String) {
    append(
      "kindred_database_info", .gauge, "The engine of the database and its version.",
      [("engine=\"\(Self.escaped(engine))\"", 1)])
  }

  mutating func append(droppedLogLines: Int?) {
    counter("log_lines_dropped", "Lines dropped because the log was not read.", droppedLogLines)
  }

  mutating func append(_ counters: HTTPServerCounters) {
    gauge("http_connections", "Open connections.", counters.openConnections)
    counter("http_connections_accepted", "Accepted connections.", counters.acceptedConnections)
    counter(
      "http_connections_refused", "Connections refused because of a limit.", counters.refusedConnections)
    counter(
      "http_connections_timed_out", "Connections closed because the client was too slow.",
      counters.timedOutConnections)
    counter(
      "http_requests_refused", "Requests refused as malformed, too large or too late.",
      counters.refusedRequests)
    counter(
      "http_requests_throttled", "Requests refused because of a limit per client.",
      counters.throttledRequests)
    counter("http_received_bytes", "Bytes received.", counters.receivedBytes)
    counter("http_sent_bytes", "Bytes sent.", counters.sentBytes)
  }

  mutating func append(_ database: BackendStatistics) {
    append(
      "kindred_database_connections", .gauge, "Open connections to the database, by what they are for.",
      database.connections.map { ("holder=\"\($0.holder)\"", $0.count) })
    gauge("database_readers", "Open reading connections.", database.readersOpen)
    gauge("database_readers_in_use", "Reading connections in use.", database.readersInUse)
    gauge(
      "database_readers_waiting", "Requests waiting for a reading connection.", database.readersWaiting)
    gauge(
      "database_writer_in_use", "Whether the writing connection is in use.", database.isWriterInUse ? 1 : 0)
    counter("database_waits", "Requests that had to wait for a connection.", database.waits)
    counter(
      "database_wait_timeouts", "Requests that timed out while waiting for a connection.",
      database.waitTimeouts)
    counter(
      "statement_cache_hits", "Prepared statements found in the cache.", database.statementCacheHits)
    counter(
      "statement_cache_misses", "Statements prepared because they were not in the cache.",
      database.statementCacheMisses)
  }

  mutating func appendContents(received: Int, read: Int) {
    append(
      "kindred_content_bytes", .gauge,
      "Memory for contents of requests, as received, and for what is made of long ones.",
      [("form=\"received\"", received), ("form=\"read\"", read)])
  }

  mutating func appendSnapshots(_ count: Int, spooled: Int, _ database: BackendStatistics) {
    gauge("snapshots_held", "Results that hold a snapshot of the database while they are sent.", count)
    gauge(
      "spool_bytes", "Temporary files for contents of requests and for results of slow clients.", spooled)
    gauge("database_size_bytes", "The size of the database.", database.databaseSize)
    gauge("database_wal_bytes", "The size of the write-ahead log.", database.writeAheadLogSize)
    counter(
      "database_checkpoints", "How often the write-ahead log was started over after a checkpoint.",
      database.checkpoints)
  }

  mutating func appendWrites(of database: BackendStatistics) {
    counter("writes", "Committed writes.", database.writes)
    counter(
      "write_commits", "Transactions of the committed writes, each synchronized to disk once.",
      database.writeCommits)
    gauge("writes_waiting", "Writes waiting for the writing connection.", database.writesWaiting)
  }

  mutating func append(_ feeds: [ChangeFeed]) {
    func sum(_ count: KeyPath<ChangeFeed.Counts, Int>) -> Int {
      feeds.reduce(0) { $0 + $1.counts[keyPath: count] }
    }
    gauge("live_listeners", "Clients subscribed to live results.", sum(\.listeners))
    gauge(
      "live_queries_behind", "Queries that have to run again after a commit.",
      feeds.reduce(0) { $0 + $1.behind })
    counter("live_queries", "Queries run again after a commit.", sum(\.queries))
    counter("live_events", "Change events sent, counted per client.", sum(\.events))
  }

  mutating func append(_ replicas: [ReplicaStanding]) {
    let labels = replicas.map { "replica=\"\(Self.escaped($0.name))\"" }
    append(
      "kindred_replica_up", .gauge, "Whether a replica responds.",
      zip(labels, replicas).map { ($0, $1.isUp ? 1 : 0) })
    append(
      "kindred_replica_lag_seconds", .gauge, "The seconds by which a replica is behind.",
      zip(labels, replicas).map { ($0, Int($1.lag.rounded(.up))) })
  }

  mutating func append(_ plans: PlanCounts.Snapshot) {
    counter("plan_cache_hits", "Requests whose plan was in the cache.", plans.hits)
    counter("plan_cache_misses", "Requests that had to be planned.", plans.misses)
  }
}
