/// The counters and gauges of a backend, for metrics.
public struct BackendStatistics: Hashable, Sendable {
  /// The open connections for reading.
  public var readersOpen = 0
  /// The connections for reading that are in use.
  public var readersInUse = 0
  /// The requests that are waiting for a connection for reading.
  public var readersWaiting = 0
  /// Whether the writing connection is in use.
  public var isWriterInUse = false
  /// The number of times a request had to wait for a connection.
  public var waits = 0
  /// The number of these waits that timed out.
  public var waitTimeouts = 0
  /// The statements that were found in a cache of prepared statements.
  public var statementCacheHits = 0
  /// The statements that had to be prepared.
  public var statementCacheMisses = 0
  /// The committed writes.
  public var writes = 0
  /// The commits, each of which may contain several writes.
  public var writeCommits = 0
  /// The writes that are waiting for their turn.
  public var writesWaiting = 0
  /// The open connections by what they are for.
  public var connections: [Connections] = []
  /// The size of the database in bytes; nil if it is not known.
  public var databaseSize: Int?
  /// How often the write-ahead log was started over, after a checkpoint had moved all of it to the database; nil if
  /// there is none.
  public var checkpoints: Int?
  /// The size of the write-ahead log in bytes; nil if the database has none, or it is not known.
  public var writeAheadLogSize: Int?

  /// The open connections for one purpose.
  public struct Connections: Hashable, Sendable {
    /// What they are for, in one word.
    public let holder: String
    /// Their number.
    public let count: Int

    /// Creates a number of connections.
    public init(_ holder: String, _ count: Int) {
      self.holder = holder
      self.count = count
    }
  }

  /// Creates statistics with all values 0.
  public init() {}
}
