/// The connections of a server to one database: many that read, and one that writes if it may.
///
/// A writable database is put into WAL mode (<https://www.sqlite.org/wal.html>), in which readers and the
/// writer don't wait for one another.
public final class ConnectionPool: Sendable {
  /// What the pool has done so far, for metrics.
  public struct Statistics: Hashable, Sendable {
    /// How many reading connections are open.
    public var readersOpen: Int
    /// How many reading connections somebody holds.
    public var readersInUse: Int
    /// How many requests wait for a reading connection.
    public var readersWaiting: Int
    /// Whether somebody holds the writing connection.
    public var isWriterInUse: Bool
    /// How many times somebody had to wait for a connection.
    public var waits: Int
    /// How many times somebody waited in vain.
    public var timeouts: Int
    /// How many statements were found prepared, counted when the connection comes back.
    public var statementCacheHits: Int
    /// How many statements had to be prepared, counted when the connection comes back.
    public var statementCacheMisses: Int
  }

  /// The path as it was given.
  public let path: String

  /// How reading connections are opened.
  ///
  /// `immutable` where the medium or the directory can't be written to and the database is in WAL mode: the
  /// file is then served as it is now, and whoever changes it has to restart the server.
  public let readerAccess: Connection.Access

  private let configuration: ConnectionConfiguration
  let readers: ConnectionSlots
  private let writers: ConnectionSlots?

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - access: `readOnly` and `immutable` make a pool without a writer.
  ///   - readers: The most reading connections, at least one. They are opened when they are needed.
  ///   - checkoutTimeout: For how many milliseconds `reader` and `withWriter` wait for a connection.
  /// - Throws: `OpenError` where there is no database, or none that can be read.
  public init(
    path: String, access: Connection.Access, readers: Int, checkoutTimeout: Int = 5000,
    configuration: ConnectionConfiguration = ConnectionConfiguration()
  ) throws {
    self.path = path
    self.configuration = configuration
    let readerAccess: Connection.Access
    switch access {
    case .immutable:
      readerAccess = .immutable
      writers = nil
    case .readOnly:
      readerAccess = try ReadOnlyAccess.choose(path: path, configuration: configuration)
      writers = nil
    case .readWrite, .readWriteCreate:
      readerAccess = .readOnly
      let writers = ConnectionSlots(count: 1, timeoutMilliseconds: checkoutTimeout) {
        try Connection.writer(path: path, access: access, configuration: configuration)
      }
      // The mode is written into the file, before the first reader comes.
      writers.checkIn(try writers.checkOut())
      self.writers = writers
    }
    self.readerAccess = readerAccess
    self.readers = ConnectionSlots(count: readers, timeoutMilliseconds: checkoutTimeout) {
      try Connection(path: path, access: readerAccess, configuration: configuration)
    }
    self.readers.checkIn(try self.readers.checkOut())
  }

  /// Reading connections to the same database that are none of this pool's.
  ///
  /// - Throws: `OpenError`.
  public func sibling(readers: Int) throws -> ConnectionPool {
    try ConnectionPool(path: path, access: readerAccess, readers: readers, configuration: configuration)
  }

  /// Whether there is a writer.
  public var isWritable: Bool { writers != nil }

  /// Takes a reading connection, to be given back by `release`.
  ///
  /// It may go from thread to thread, but has one holder at a time.
  ///
  /// - Throws: `DatabaseError`, busy, where none gets free in time; `OpenError`.
  public func reader() throws -> sending Connection {
    try readers.checkOut()
  }

  /// Gives back a reading connection.
  ///
  /// What its holder left is undone: running statements are reset, an open transaction is rolled back,
  /// deadline and interruption are taken back.
  public func release(_ reader: Connection) {
    readers.checkIn(reader)
  }

  /// Runs `body` with a reading connection.
  public func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try readers.checkOut()
    defer { readers.checkIn(connection) }
    return try body(connection)
  }

  /// Runs `body` with the writing connection.
  ///
  /// - Throws: What `body` throws; `DatabaseError`, busy, where somebody else writes for too long, or
  ///   read-only, where there is no writer.
  public func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let writers else { throw DatabaseError.readOnly("the database is served for reading") }
    let connection = try writers.checkOut()
    defer { writers.checkIn(connection) }
    return try body(connection)
  }

  /// Closes the connections: those in use when they are given back.
  ///
  /// Nothing can be taken any more.
  /// With none in use, a writable database is left as a single file.
  public func close() {
    readers.close()
    // The writer last: the last connection to go moves the content of the WAL file into the database, and
    // deletes it, which a reading one can't.
    writers?.close()
  }

  /// What the pool has done so far.
  public var statistics: Statistics {
    let (reading, writing) = (readers.counters, writers?.counters)
    return Statistics(
      readersOpen: reading.open, readersInUse: reading.inUse, readersWaiting: reading.waiting,
      isWriterInUse: writing?.inUse == 1,
      waits: reading.waits + (writing?.waits ?? 0), timeouts: reading.timeouts + (writing?.timeouts ?? 0),
      statementCacheHits: reading.cacheHits + (writing?.cacheHits ?? 0),
      statementCacheMisses: reading.cacheMisses + (writing?.cacheMisses ?? 0))
  }
}

extension Connection {
  fileprivate static func writer(
    path: String, access: Access, configuration: ConnectionConfiguration
  ) throws -> Connection {
    let connection = try Connection(path: path, access: access, configuration: configuration)
    do {
      // After a burst the WAL file is cut back to this many bytes.
      try connection.execute("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864")
    } catch let error as DatabaseError {
      throw OpenError(error, path: path, connection: connection.handle)
    }
    return connection
  }
}
