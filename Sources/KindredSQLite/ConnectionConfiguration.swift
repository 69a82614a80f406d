/// How connections are set up.
///
/// By default as a server's should be, whose statements are partly written by strangers.
public struct ConnectionConfiguration: Hashable, Sendable {
  /// For how many milliseconds a statement waits for the lock of somebody else
  /// (<https://www.sqlite.org/c3ref/busy_timeout.html>).
  public var busyTimeout: Int32 = 5000

  /// The page cache of one connection, in KiB (<https://www.sqlite.org/pragma.html#pragma_cache_size>).
  ///
  /// It is for the inner pages of indexes; the rest is read from the cache of the operating system, which all
  /// connections share.
  public var pageCacheKiB: Int32 = 2048

  /// How many bytes of the file are mapped into memory (<https://www.sqlite.org/mmap.html>).
  ///
  /// None by default: a mapped file that somebody else truncates, or that is on a failing disk, ends the
  /// process by a signal, where a read gives an error.
  public var memoryMapBytes: Int64 = 0

  /// How many idle statements a connection keeps prepared.
  public var statementCacheCapacity = 256

  /// Whether foreign keys are enforced (<https://www.sqlite.org/foreignkeys.html>).
  public var enforcesForeignKeys = true

  /// Whether `"x"` is a string where there is no column of that name
  /// (<https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>).
  ///
  /// Not by default, so that a column that has gone is an error. Views that were written with such strings
  /// only work with it.
  public var allowsDoubleQuotedStrings = false

  /// The most bytes of a value, and of a row (<https://www.sqlite.org/limits.html>, `SQLITE_LIMIT_LENGTH`).
  ///
  /// It bounds what nested calls of `replace` can build.
  public var maximumLength: Int32 = 64 << 20

  /// The most bytes of a statement's text.
  public var maximumSQLLength: Int32 = 1 << 20

  /// How deep an expression may be nested.
  ///
  /// SQLite walks over expressions by recursion.
  public var maximumExpressionDepth: Int32 = 1000

  /// The most bytes of a pattern of `LIKE` or `GLOB`, whose cost is the product of pattern and text.
  public var maximumPatternLength: Int32 = 10_000

  /// What a committed change survives.
  public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// The loss of power: each commit waits for the disk.
    case full
    /// The end of the process; the operating system decides when the disk gets it.
    case normal
  }

  /// What a committed change survives (<https://www.sqlite.org/pragma.html#pragma_synchronous>).
  public var durability = Durability.full

  /// What the statements of one request may hold and build; nothing is limited by default.
  public var resourceLimits = ResourceLimits()

  /// How many bytes of memory the idle statements of a connection may take.
  public var statementCacheBytes = 4 << 20

  /// How many other files `ATTACH` may open; `VACUUM` needs one.
  public var maximumAttachedDatabases: Int32 = 0

  /// The collations that statements can name, beside those of SQLite.
  public var collations: [Collation] = []

  /// The defaults.
  public init() {}

  /// As a program needs it whose statements are its own: with no limits but those that SQLite was built with.
  public static var unlimited: ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    // SQLite takes what is above its limit for the limit (https://www.sqlite.org/c3ref/limit.html).
    configuration.maximumLength = .max
    configuration.maximumSQLLength = .max
    configuration.maximumExpressionDepth = .max
    configuration.maximumPatternLength = .max
    configuration.maximumAttachedDatabases = .max
    return configuration
  }
}
