import KindredBackend
import KindredRequests
import Logging

/// What services of the same database share, each of which answers with another model or other credentials.
struct ServiceParts: Sendable {
  let backend: any Backend
  let cursors: CursorCoding
  let metrics = ServiceMetrics()
  let planCounts = PlanCounts()
  /// The database and its copies, by their numbers.
  let databases: [ReadDatabase]
  let logger: Logger

  /// The database itself, which takes the writes.
  var served: ReadDatabase { databases[0] }
  /// Notify listeners of commits; none if live results are disabled.
  var changeFeeds: [ChangeFeed] { databases.compactMap(\.changeFeed) }

  init(_ backend: any Backend, _ options: KindredService.Options, logger: Logger) throws {
    guard let cursors = CursorCoding(key: options.cursorKey) else { throw CursorKeyError() }
    self.backend = backend
    self.cursors = cursors
    self.logger = logger
    databases = try ReadDatabase.all(of: backend, options)
  }
}
