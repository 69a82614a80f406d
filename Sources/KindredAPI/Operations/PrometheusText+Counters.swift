import KindredBackend
import KindredHTTP

/// The metrics of the layers below the service.
extension PrometheusText {
  mutating func append(_ counters: HTTPServerCounters) {
    append("kindred_http_connections", .gauge, "Connections that are open.", counters.openConnections)
    append(
      "kindred_http_connections_accepted_total", .counter, "Connections that were accepted.",
      counters.acceptedConnections)
    append(
      "kindred_http_connections_refused_total", .counter, "Connections that were refused for a limit.",
      counters.refusedConnections)
    append(
      "kindred_http_connections_timed_out_total", .counter, "Connections that were cut off for slowness.",
      counters.timedOutConnections)
    append(
      "kindred_http_requests_refused_total", .counter, "Requests that were malformed, too large or too late.",
      counters.refusedRequests)
    append(
      "kindred_http_requests_throttled_total", .counter,
      "Requests that were refused for their client's limit.",
      counters.throttledRequests)
    append("kindred_http_received_bytes_total", .counter, "Bytes received.", counters.receivedBytes)
    append("kindred_http_sent_bytes_total", .counter, "Bytes sent.", counters.sentBytes)
  }

  mutating func append(_ database: BackendStatistics) {
    append("kindred_database_readers", .gauge, "Reading connections that are open.", database.readersOpen)
    append("kindred_database_readers_in_use", .gauge, "Reading connections in use.", database.readersInUse)
    append(
      "kindred_database_readers_waiting", .gauge, "Requests that wait for a reading connection.",
      database.readersWaiting)
    append(
      "kindred_database_writer_in_use", .gauge, "Whether the writing connection is in use.",
      database.isWriterInUse ? 1 : 0)
    append(
      "kindred_database_waits_total", .counter, "How often a request had to wait for a connection.",
      database.waits)
    append(
      "kindred_database_wait_timeouts_total", .counter, "How often the wait timed out.", database.waitTimeouts
    )
    append(
      "kindred_statement_cache_hits_total", .counter, "Statements that were found prepared.",
      database.statementCacheHits)
    append(
      "kindred_statement_cache_misses_total", .counter, "Statements that had to be prepared.",
      database.statementCacheMisses)
  }

  mutating func appendWrites(of database: BackendStatistics) {
    append("kindred_writes_total", .counter, "Writes that were committed.", database.writes)
    append(
      "kindred_write_commits_total", .counter,
      "Transactions that they shared, each with one synchronisation.",
      database.writeCommits)
    append("kindred_writes_waiting", .gauge, "Writes that wait for their turn.", database.writesWaiting)
  }

  mutating func append(_ live: ChangeFeed.Counts) {
    append("kindred_live_listeners", .gauge, "Clients that listen to a request.", live.listeners)
    append("kindred_live_queries_total", .counter, "Queries that commits made necessary.", live.queries)
    append("kindred_live_events_total", .counter, "Events of changes, one for each listener.", live.events)
  }

  mutating func append(_ plans: PlanCounts.Snapshot) {
    append("kindred_plan_cache_hits_total", .counter, "Requests whose plan was there.", plans.hits)
    append("kindred_plan_cache_misses_total", .counter, "Requests that had to be planned.", plans.misses)
  }
}
