import ArgumentParser
import KindredAssociations
import KindredBackend
import KindredExecution
import KindredPostgreSQL
import KindredPostgreSQLExecution
import KindredSQLite
import Logging

/// Where a database is: a file of SQLite, or a URL of PostgreSQL.
enum DatabaseLocation {
  case file(String)
  case postgreSQL(ConnectionTarget)

  /// The location that a text names.
  init(_ text: String) {
    if let target = ConnectionTarget(text) {
      self = .postgreSQL(target)
    } else {
      self = .file(text)
    }
  }

  /// How a database is opened.
  struct Opening {
    var isWritable = false
    var readers = 1
    /// For how many milliseconds a request waits for a connection.
    var checkoutTimeout = 5000
    /// How connections to SQLite are set up.
    var configuration = ConnectionConfiguration()
  }

  /// Opens the database.
  ///
  /// - Throws: `OpenError`, `PostgreSQLError`.
  func open(_ opening: Opening, _ settings: PostgreSQLSettings) throws -> OpenDatabase {
    switch self {
    case .file(let path):
      let pool = try ConnectionPool(
        path: path, access: opening.isWritable ? .readWrite : .readOnly, readers: opening.readers,
        checkoutTimeout: opening.checkoutTimeout, configuration: opening.configuration)
      return OpenDatabase(
        backend: try SQLiteBackend(pool),
        notice: pool.readerAccess == .immutable
          ? "The database is served as it is now: its directory can't be written to." : nil,
        metadata: ["database": "\(path)", "sqlite": "\(SQLiteLibrary.version)"])
    case .postgreSQL(var target):
      target.preparation = settings.prepared
      let pool = PostgreSQLPool(target, size: opening.readers, checkoutTimeout: opening.checkoutTimeout)
      let backend = try PostgreSQLBackend(
        pool, schemas: settings.schemaNames, isWritable: opening.isWritable)
      return OpenDatabase(
        backend: backend, notice: nil,
        metadata: ["database": "\(target)", "engine": "\(backend.capabilities.name)"])
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

/// How PostgreSQL is reached, beside what the URL says.
struct PostgreSQLSettings: ParsableArguments {
  @Option(
    help: .init(
      "Of PostgreSQL: the schemas that are served, with commas between them; those of the search path unless it is given.",
      valueName: "names"))
  var schema: String?

  @Option(
    help: .init(
      "Of PostgreSQL: whether statements are prepared once for a connection: on, off, or auto, unless a pooler stands between.",
      valueName: "choice"))
  var prepared = ConnectionTarget.Preparation.auto

  /// The schemas that are named.
  var schemaNames: [String] {
    (schema ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}

/// A database that is open.
struct OpenDatabase {
  let backend: any Backend
  /// What the operator should know.
  let notice: String?
  /// What the log says of it.
  let metadata: Logger.Metadata
}

extension ConnectionTarget.Preparation: SettingValue, ExpressibleByArgument {
  init?(setting text: String) { self.init(rawValue: text) }

  /// The choice of that name.
  public init?(argument: String) { self.init(rawValue: argument) }

  static var expectation: String { "auto, on or off" }
}
