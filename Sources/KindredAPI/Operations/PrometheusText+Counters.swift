import KindredBackend
import KindredHTTP

/// The metrics of the layers below the service.
extension PrometheusText {
  mutating func append(_ counters: HTTPServerCounters) {
    append("kindred_http_connections", .gauge, "Open connections.", counters.openConnections)
    append(
      "kindred_http_connections_accepted_total", .counter, "Accepted connections.",
      counters.acceptedConnections)
    append(
      "kindred_http_connections_refused_total", .counter, "Connections refused because of a limit.",
      counters.refusedConnections)
    append(
      "kindred_http_connections_timed_out_total", .counter,
      "Connections closed because the client was too slow.",
      counters.timedOutConnections)
    append(
      "kindred_http_requests_refused_total", .counter,
      "Requests refused as malformed, too large or too late.",
      counters.refusedRequests)
    append(
      "kindred_http_requests_throttled_total", .counter,
      "Requests refused because of a limit per client.",
      counters.throttledRequests)
    append("kindred_http_received_bytes_total", .counter, "Bytes received.", counters.receivedBytes)
    append("kindred_http_sent_bytes_total", .counter, "Bytes sent.", counters.sentBytes)
  }

  mutating func append(_ database: BackendStatistics) {
    append(
      "kindred_database_connections", .gauge, "Open connections to the database, by what they are for.",
      database.connections.map { ("holder=\"\($0.holder)\"", $0.count) })
    append("kindred_database_readers", .gauge, "Open reading connections.", database.readersOpen)
    append("kindred_database_readers_in_use", .gauge, "Reading connections in use.", database.readersInUse)
    append(
      "kindred_database_readers_waiting", .gauge, "Requests waiting for a reading connection.",
      database.readersWaiting)
    append(
      "kindred_database_writer_in_use", .gauge, "Whether the writing connection is in use.",
      database.isWriterInUse ? 1 : 0)
    append(
      "kindred_database_waits_total", .counter, "Requests that had to wait for a connection.",
      database.waits)
    append(
      "kindred_database_wait_timeouts_total", .counter,
      "Requests that timed out while waiting for a connection.", database.waitTimeouts
    )
    append(
      "kindred_statement_cache_hits_total", .counter, "Prepared statements found in the cache.",
      database.statementCacheHits)
    append(
      "kindred_statement_cache_misses_total", .counter,
      "Statements prepared because they were not in the cache.",
      database.statementCacheMisses)
  }

  mutating func appendSnapshots(_ count: Int, spooled: Int, _ database: BackendStatistics) {
    append(
      "kindred_snapshots_held", .gauge, "Results that hold a snapshot of the database while they are sent.",
      count)
    append(
      "kindred_spool_bytes", .gauge,
      "Temporary files for contents of requests and for results of slow clients.", spooled)
    if let size = database.databaseSize {
      append("kindred_database_size_bytes", .gauge, "The size of the database.", size)
    }
    if let size = database.writeAheadLogSize {
      append("kindred_database_wal_bytes", .gauge, "The size of the write-ahead log.", size)
    }
    if let count = database.checkpoints {
      append(
        "kindred_database_checkpoints_total", .counter,
        "How often the write-ahead log was started over after a checkpoint.", count)
    }
  }

  mutating func appendWrites(of database: BackendStatistics) {
    append("kindred_writes_total", .counter, "Committed writes.", database.writes)
    append(
      "kindred_write_commits_total", .counter,
      "Transactions of the committed writes, each synchronized to disk once.",
      database.writeCommits)
    append(
      "kindred_writes_waiting", .gauge, "Writes waiting for the writing connection.", database.writesWaiting)
  }

  mutating func append(_ feeds: [ChangeFeed]) {
    func sum(_ count: KeyPath<ChangeFeed.Counts, Int>) -> Int {
      feeds.reduce(0) { $0 + $1.counts[keyPath: count] }
    }
    append("kindred_live_listeners", .gauge, "Clients subscribed to live results.", sum(\.listeners))
    append(
      "kindred_live_queries_behind", .gauge, "Queries that have to run again after a commit.",
      feeds.reduce(0) { $0 + $1.behind })
    append("kindred_live_queries_total", .counter, "Queries run again after a commit.", sum(\.queries))
    append("kindred_live_events_total", .counter, "Change events sent, counted per client.", sum(\.events))
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
    append("kindred_plan_cache_hits_total", .counter, "Requests whose plan was in the cache.", plans.hits)
    append("kindred_plan_cache_misses_total", .counter, "Requests that had to be planned.", plans.misses)
  }
}
