import KindredAssociations
import KindredBackend
import KindredExecution
import KindredSQLite

/// Where a database is, as the command line names it: the one place that knows which kinds of databases there are.
struct DatabaseLocation {
  /// A path.
  let text: String

  init(_ text: String) { self.text = text }

  /// How a database is opened.
  struct Opening {
    var isWritable = false
    var readers = 1
    /// For how many milliseconds a request that blocks its thread waits for a connection.
    var checkoutTimeout = 5000
    var configuration = ConnectionConfiguration()
    /// Called where the database is read as it is now, whatever happens to it.
    var onUnchanging: () -> Void = {}
  }

  /// Opens the database for requests.
  func open(_ opening: Opening) throws -> any Backend {
    let pool = try ConnectionPool(
      path: text, access: opening.isWritable ? .readWrite : .readOnly, readers: opening.readers,
      checkoutTimeout: opening.checkoutTimeout, configuration: opening.configuration)
    if pool.readerAccess == .immutable { opening.onUnchanging() }
    return try SQLiteBackend(pool)
  }

  /// Opens the database to read its schema.
  func schemaSource() throws -> any SchemaSource {
    try ConnectionSchema(Connection(path: text, access: .readOnly))
  }

  /// The kind of the database, for the log.
  var engine: (name: String, version: String) { ("sqlite", "\(SQLiteLibrary.version)") }
}
