import Foundation
import KindredSQLite

/// The settings with which a ``DatabaseQueue`` or a ``DatabasePool`` is opened.
///
///     var configuration = Configuration()
///     configuration.readonly = true
///     let dbQueue = try DatabaseQueue(path: "library.sqlite", configuration: configuration)
public struct Configuration: Sendable {
  /// Whether the database is only read; then it must exist.
  public var readonly = false

  /// Whether foreign keys are enforced (<https://www.sqlite.org/foreignkeys.html>).
  public var foreignKeysEnabled = true

  /// What a statement does that needs a lock which another connection holds.
  public var busyMode = Database.BusyMode.timeout(5)

  /// The number of read accesses of a ``DatabasePool`` that can run at the same time; others wait for them.
  public var maximumReaderCount = 5

  /// A name for the database in messages of the program.
  public var label: String?

  /// Whether descriptions of traced statements have the values of their parameters, which may be secret.
  ///
  /// Errors never have them.
  public var publicStatementArguments = false

  /// Whether `"x"` is a string if there is no column with that name.
  public var acceptsDoubleQuotedStringLiterals = false

  /// The failure that a committed change survives.
  public enum Durability: Sendable, CaseIterable {
    /// A loss of power: each commit waits for the disk.
    case full
    /// The end of the process: in WAL mode a loss of power may undo the last commits, and damages nothing.
    case normal
  }

  /// The failure that a committed change survives (<https://www.sqlite.org/pragma.html#pragma_synchronous>).
  public var durability = Durability.full

  /// How a ``DatabaseQueue`` keeps a transaction undoable.
  public enum JournalModeConfiguration: Sendable {
    /// As the file says; a new one has a rollback journal.
    case `default`
    /// In WAL mode (<https://www.sqlite.org/wal.html>), as every ``DatabasePool`` does.
    case wal
  }

  /// How a ``DatabaseQueue`` keeps a transaction undoable.
  public var journalMode = JournalModeConfiguration.default

  /// The priority of the threads that asynchronous accesses run on.
  public var qos = DispatchQoS.default

  /// A queue whose threads asynchronous accesses run on; nil for those of Dispatch.
  public var targetQueue: DispatchQueue?

  /// A queue whose threads asynchronous accesses that write run on; nil for those of ``targetQueue``.
  public var writeTargetQueue: DispatchQueue?

  /// Whether an access of a ``DatabaseQueue``, or one that writes, may leave a transaction open for the next one.
  public var allowsUnsafeTransactions = false

  /// The clock of ``Database/transactionDate``.
  public var transactionClock: any TransactionClock = .default

  private var preparations: [@Sendable (Database) throws -> Void] = []

  /// Creates the default settings.
  public init() {}

  /// Adds a closure that is called with each connection when it is opened, for functions, collations, traces and
  /// pragmas.
  ///
  /// Several closures are called in the order in which they were added. An error of one is thrown where the connection
  /// is opened.
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(setup)
  }
}

extension Configuration {
  var access: Connection.Access { readonly ? .readOnly : .readWriteCreate }

  /// Returns the driver's settings: SQLite's own limits, the collations of Foundation, and what the program adds.
  ///
  /// - Parameter context: The state that all accesses to the database share.
  func driver(_ context: DatabaseContext) -> ConnectionConfiguration {
    var configuration = ConnectionConfiguration.unlimited
    configuration.collations = Self.collations
    configuration.busyTimeout = busyMode.milliseconds
    configuration.enforcesForeignKeys = foreignKeysEnabled
    configuration.allowsDoubleQuotedStrings = acceptsDoubleQuotedStringLiterals
    configuration.durability = durability == .full ? .full : .normal
    let texts = ConnectionPreparation { connection in
      for function in DatabaseFunction.texts { try function.define(on: connection) }
    }
    let own = preparations.map { setup in
      ConnectionPreparation { connection in
        let database = Database(connection, context: context)
        defer { database.close() }
        try setup(database)
      }
    }
    configuration.preparations = [texts] + own
    return configuration
  }

  private static let collations = [
    Collation(.unicodeCompare) { $0.compare($1) },
    Collation(.caseInsensitiveCompare) { $0.caseInsensitiveCompare($1) },
    Collation(.localizedCompare) { $0.localizedCompare($1) },
    Collation(.localizedCaseInsensitiveCompare) { $0.localizedCaseInsensitiveCompare($1) },
    Collation(.localizedStandardCompare) { $0.localizedStandardCompare($1) },
  ]
}

extension Collation {
  convenience init(
    _ name: CollationName, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.init(name.rawValue) { Int32(compare($0, $1).rawValue) }
  }
}

extension Database {
  /// What a statement does that needs a lock which another connection holds
  /// (<https://www.sqlite.org/c3ref/busy_timeout.html>).
  public enum BusyMode: Sendable {
    /// It fails at once.
    case immediateError
    /// It waits for a number of seconds, and then fails.
    case timeout(TimeInterval)

    fileprivate var milliseconds: Int32 {
      switch self {
      case .immediateError: 0
      case .timeout(let seconds): Int32(clamping: Int64(min(max(0, seconds), 1e9) * 1000))
      }
    }
  }
}
