/// The settings of a connection.
///
/// The defaults suit a server whose statements partly come from untrusted clients.
public struct ConnectionConfiguration: Hashable, Sendable {
  /// The milliseconds for which a statement waits for a lock that another connection holds
  /// (<https://www.sqlite.org/c3ref/busy_timeout.html>).
  public var busyTimeout: Int32 = 5000

  /// The size of a connection's page cache in KiB (<https://www.sqlite.org/pragma.html#pragma_cache_size>).
  ///
  /// It is meant for the inner pages of indexes. Other pages come from the operating system's cache, which all
  /// connections share.
  public var pageCacheKiB: Int32 = 2048

  /// The number of bytes of the file that are mapped into memory (<https://www.sqlite.org/mmap.html>).
  ///
  /// It is 0 by default: if a mapped file is truncated, or its disk fails, a signal ends the process, where a read
  /// would return an error.
  public var memoryMapBytes: Int64 = 0

  /// The maximum number of idle statements that a connection keeps prepared.
  public var statementCacheCapacity = 256

  /// Whether foreign keys are enforced (<https://www.sqlite.org/foreignkeys.html>).
  public var enforcesForeignKeys = true

  /// Whether `"x"` is a string if there is no column with that name
  /// (<https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>).
  ///
  /// It is off by default, so that a missing column is an error. Views that use such strings only work if it is on.
  public var allowsDoubleQuotedStrings = false

  /// The maximum size of a value or a row in bytes (<https://www.sqlite.org/limits.html>, `SQLITE_LIMIT_LENGTH`).
  ///
  /// It bounds the values that nested calls of functions can build.
  public var maximumLength: Int32 = 64 << 20

  /// The maximum length of a statement's SQL in bytes.
  public var maximumSQLLength: Int32 = 1 << 20

  /// The maximum depth of an expression.
  ///
  /// SQLite traverses expressions recursively.
  public var maximumExpressionDepth: Int32 = 1000

  /// The maximum size of a pattern of `LIKE` or `GLOB` in bytes; matching costs up to the product of pattern and
  /// text.
  public var maximumPatternLength: Int32 = 10_000

  /// The failure that a committed change survives.
  public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// A loss of power: each commit waits for the disk.
    case full
    /// The end of the process: the operating system decides when changes reach the disk.
    case normal
  }

  /// The failure that a committed change survives (<https://www.sqlite.org/pragma.html#pragma_synchronous>).
  public var durability = Durability.full

  /// The resources that the statements of one request may use; unlimited by default.
  public var resourceLimits = ResourceLimits()

  /// The maximum memory of a connection's idle statements in bytes.
  public var statementCacheBytes = 4 << 20

  /// The age in nanoseconds up to which a snapshot is kept for the next holder of a reading connection, while they follow
  /// each other closely.
  ///
  /// For so long, a commit of another process may have to wait in rollback-journal modes, and in WAL mode the file can't
  /// be started over.
  public var snapshotAge: UInt64 = 5_000_000

  /// The maximum number of databases that `ATTACH` may open; `VACUUM` needs one.
  public var maximumAttachedDatabases: Int32 = 0

  /// The collations that statements can use in addition to SQLite's own.
  public var collations: [Collation] = []

  /// Whether connections that only read compare by bytes where the schema has a collation that this process lacks, instead
  /// of refusing statements that use it.
  ///
  /// Statements must then compare such columns explicitly by another collation, or SQLite searches an index in the wrong
  /// order.
  public var standsInForCollations = true

  /// Whether SQLite's functions of texts that take long are replaced by ones that can be interrupted and that bound
  /// what they build.
  ///
  /// It is on by default, because the statements of a server's clients may call them with any text.
  public var boundsTextFunctions = true

  /// What further prepares each connection, in order.
  public var preparations: [ConnectionPreparation] = []

  /// Creates the default configuration.
  public init() {}

  /// The configuration for a program that writes its own statements: no limits except the ones that SQLite was built
  /// with.
  public static var unlimited: ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    // SQLite reduces greater values to its own limits (https://www.sqlite.org/c3ref/limit.html).
    configuration.maximumLength = .max
    configuration.maximumSQLLength = .max
    configuration.maximumExpressionDepth = .max
    configuration.maximumPatternLength = .max
    configuration.maximumAttachedDatabases = .max
    configuration.boundsTextFunctions = false
    configuration.standsInForCollations = false
    return configuration
  }
}

/// A step that prepares connections when they are opened.
public final class ConnectionPreparation: Sendable {
  let prepare: @Sendable (Connection) throws -> Void

  /// Creates a step that calls `prepare` with each connection.
  public init(_ prepare: @escaping @Sendable (Connection) throws -> Void) {
    self.prepare = prepare
  }
}

extension ConnectionPreparation: Hashable {
  /// Whether both are the same object.
  public static func == (left: ConnectionPreparation, right: ConnectionPreparation) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
