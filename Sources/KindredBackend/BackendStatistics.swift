/// What a backend has counted, for metrics.
public struct BackendStatistics: Hashable, Sendable {
  /// Connections for reading that are open.
  public var readersOpen = 0
  /// Connections for reading that are in use.
  public var readersInUse = 0
  /// Requests that wait for a connection for reading.
  public var readersWaiting = 0
  /// Whether the connection that writes is in use.
  public var isWriterInUse = false
  /// How often a request had to wait for a connection.
  public var waits = 0
  /// How often it waited in vain.
  public var waitTimeouts = 0
  /// Statements that were found prepared.
  public var statementCacheHits = 0
  /// Statements that had to be prepared.
  public var statementCacheMisses = 0
  /// Writes that were committed.
  public var writes = 0
  /// Transactions that were committed for them.
  public var writeCommits = 0
  /// Writes that wait for their turn.
  public var writesWaiting = 0

  /// Nothing yet.
  public init() {}
}
