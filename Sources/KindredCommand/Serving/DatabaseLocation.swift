import ArgumentParser
import KindredPlanning
import KindredBackend
import KindredSQLiteBackend
import KindredPostgreSQL
import KindredPostgreSQLBackend
import KindredSQLite
import Logging

/// The location of a database: an SQLite file or a PostgreSQL URL.
enum DatabaseLocation {
  case file(String)
  case postgreSQL(ConnectionTarget)

  /// Creates the location that a command-line argument or a setting names.
  ///
  /// - Throws: `ValidationError` for an empty text, and for one that is the location of another kind of database, as it may contain a
  ///   password.
  init(_ text: String) throws {
    // To SQLite, this is a temporary database.
    guard !text.isEmpty else { throw ValidationError("the name of the database is empty") }
    if let target = ConnectionTarget(text) {
      self = .postgreSQL(target)
    } else if let shown = Self.withoutSecrets(text) {
      throw ValidationError(
        "\(shown) is neither a file nor the URL of a PostgreSQL database, such as postgres://USER@HOST/NAME")
    } else {
      self = .file(text)
    }
  }

  /// Returns a text with which errors can mention what is the location of a database but not that of a file, and may
  /// contain a password; nil for other texts.
  static func withoutSecrets(_ text: String) -> String? {
    if let target = ConnectionTarget(text) { return target.description }
    if let scheme = text.firstRange(of: "://") { return text[..<scheme.upperBound] + "…" }
    guard text.contains(":") || text.contains("=") else { return nil }
    // The other form of libpq's connection strings, and URLs that lack a slash.
    let isLocation =
      text.firstMatch(of: /(?i)^postgres(ql)?:|\bpass\w*\s*=|^(host|user|dbname|service)\s*=/) != nil
    return isLocation ? "…" : nil
  }

  /// The path of an SQLite file; nil for PostgreSQL.
  var path: String? {
    if case .file(let path) = self { path } else { nil }
  }

  /// Returns the path of an SQLite file.
  ///
  /// - Parameter refusal: What to say of PostgreSQL.
  /// - Throws: `ValidationError` for PostgreSQL.
  func path(orSaying refusal: String) throws -> String {
    guard let path else { throw ValidationError(refusal) }
    return path
  }

  /// The options with which a database is opened.
  struct Opening {
    var isWritable = false
    var readers = 1
    /// The largest number of connections to each database of PostgreSQL.
    var connections = 4
    /// The standbys that answer reads, and the seconds that they may be behind.
    var replicas: [ConnectionTarget] = []
    var replicaLag = 10.0
    /// How long a request waits for a connection, in milliseconds.
    var checkoutTimeout = 5000
    /// The configuration of connections to SQLite.
    var configuration = ConnectionConfiguration()
    /// Receives what happens to the database while it is open.
    var notify: @Sendable (BackendNotice) -> Void = { _ in }

    /// Returns the number of connections to databases that may be open.
    func descriptors(at location: DatabaseLocation) -> Int {
      switch location {
      case .file: readers
      case .postgreSQL: connections * (1 + replicas.count)
      }
    }
  }

  /// Opens the database.
  ///
  /// - Throws: `OpenError`, `PostgreSQLError`.
  func open(_ opening: Opening, _ settings: PostgreSQLSettings) throws -> OpenDatabase {
    switch self {
    case .file(let path):
      let pool = try Self.naming(path) {
        try ConnectionPool(
          path: path, access: opening.isWritable ? .readWrite : .readOnly, readers: opening.readers,
          checkoutTimeout: opening.checkoutTimeout, configuration: opening.configuration)
      }
      return OpenDatabase(
        backend: try SQLiteBackend(pool, notify: opening.notify),
        notice: pool.readerAccess == .immutable
          ? "The database is served read-only in its current state, because its directory isn't writable."
          : nil,
        metadata: ["database": "\(path)", "sqlite": "\(SQLiteLibrary.version)"])
    case .postgreSQL(var target):
      target.preparation = settings.prepared
      func pool(of target: ConnectionTarget) -> PostgreSQLPool {
        // One is for watching. Half of them read, and long results leave a quarter, and one for live results, to others.
        let budget = ConnectionBudget(limit: opening.connections - 1)
        let readers = max(1, opening.connections / 2)
        return PostgreSQLPool(
          target, size: readers, extra: max(0, budget.limit - readers - max(1, budget.limit / 4) - 1),
          checkoutTimeout: opening.checkoutTimeout, budget: budget)
      }
      let replicas = opening.replicas.map { replica in
        var replica = replica
        replica.preparation = settings.prepared
        // Another one answers meanwhile.
        replica.connectTimeout = 2
        return pool(of: replica)
      }
      let backend = try PostgreSQLBackend(
        pool(of: target), schemas: settings.schemaNames, isWritable: opening.isWritable,
        engine: settings.engine, copies: replicas, maximumLag: opening.replicaLag)
      return OpenDatabase(
        backend: backend, notice: nil,
        metadata: ["database": "\(target)", "engine": "\(backend.capabilities.name)"])
    }
  }

  /// Runs `body`, and says of a file that is no database what it may be instead.
  private static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as OpenError {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      guard case .notADatabase = error.reason, let dot = name.lastIndex(of: ".") else { throw error }
      switch name[dot...].lowercased() {
      case ".csv", ".tsv", ".json", ".jsonl", ".ndjson":
        throw CommandError(
          "\(error); to make one of it: kindred import NEW.db \(name[..<dot]) \(path) --create-table")
      case ".yaml", ".yml":
        throw CommandError("\(error); a configuration is named by --config, a model file by --model")
      default: throw error
      }
    }
  }

  /// Runs `body` with the schema of the database.
  ///
  /// - Throws: `OpenError`, `PostgreSQLError`, and what `body` throws.
  func withSchema<Result: Sendable>(
    _ settings: PostgreSQLSettings, _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result {
    switch self {
    case .file(let path): return try body(try ConnectionSchema(Connection(path: path, access: .readOnly)))
    case .postgreSQL:
      let database = try open(Opening(), settings)
      defer { database.backend.close() }
      return try database.backend.withSchema(body)
    }
  }
}

/// The settings of PostgreSQL that its URL can't contain.
struct PostgreSQLSettings: ParsableArguments {
  @Option(
    "PostgreSQL: the schemas to serve, separated by commas; those of the search path by default.",
    value: "names")
  var schema: String?

  @Option(
    "PostgreSQL: whether each connection keeps prepared statements: on, off, or auto (on unless there is a connection pooler).",
    value: "choice")
  var prepared = ConnectionTarget.Preparation.auto

  @Option(
    help: .init(
      "PostgreSQL: the engine whose statements are used, regardless of the server.", visibility: .hidden))
  var engine: EngineCapabilities.Engine?

  /// The names in ``schema``.
  var schemaNames: [String] {
    (schema ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}

/// An open database.
struct OpenDatabase {
  let backend: any Backend
  /// A notice for the operator; nil if there is none.
  let notice: String?
  /// The description of the database in the log.
  let metadata: Logger.Metadata
}

extension EngineCapabilities.Engine: ExpressibleByArgument {}

extension ConnectionTarget.Preparation: SettingValue, ExpressibleByArgument {
  init?(setting text: String) { self.init(rawValue: text) }

  /// Creates the choice with this name.
  public init?(argument: String) { self.init(rawValue: argument) }

  static var expectation: String { "auto, on or off" }
}
