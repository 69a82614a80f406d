import KindredModel
import KindredPlanning
import KindredBackend
import KindredRequests
import Logging

/// What the services of one model and one configuration share.
///
/// An object, so that each holds a single reference.
final class ServiceContext: Sendable {
  /// What they share with the services before and after them.
  let parts: ServiceParts
  let options: KindredService.Options
  let planner: RequestPlanner
  let access: AccessControl
  let types: OfferedTypes
  let problems: ProblemReporter
  let finisher: ResponseFinisher
  /// Whether clients may write.
  let isWritable: Bool
  /// By the numbers of their databases.
  private let sources: [ModelSource]

  /// - Parameter model: Creates the model of the database as a snapshot shows it.
  /// - Throws: `KeySetError` if the set of keys can't be read.
  init(
    _ parts: ServiceParts, _ options: KindredService.Options,
    model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws {
    self.parts = parts
    self.options = options
    let isWritable = options.isWritable && parts.backend.isWritable
    self.isWritable = isWritable
    sources = parts.databases.map { database in
      ModelSource(
        database.backend, parts.planCounts, logger: parts.logger,
        changed: { old, new in
          // Copies of the database change with it.
          guard database.number == 0 else { return }
          let changes = Self.report(new, options, isWritable)
            .changes(since: Self.report(old, options, isWritable))
          for warning in changes.warnings { parts.logger.warning("\(warning)") }
          for notice in changes.notices { parts.logger.notice("\(notice)") }
        }, read: model)
    }
    planner = RequestPlanner(limits: options.limits, parts.cursors, options.basePath)
    access = try AccessControl(options, sources[0], logger: parts.logger)
    types = OfferedTypes(options)
    problems = ProblemReporter(parts, options, sources[0], types)
    finisher = ResponseFinisher(options, access, parts.metrics)
  }

  /// Returns what the server says about who may do what.
  func accessReport(of model: Model) -> AccessReport { Self.report(model, options, isWritable) }

  private static func report(
    _ model: Model, _ options: KindredService.Options, _ isWritable: Bool
  ) -> AccessReport {
    AccessReport(model: model, configuration: options.access, isWritable: isWritable)
  }

  /// The models of the database that takes the writes.
  var models: ModelSource { sources[0] }

  /// Returns the models of a database.
  func models(of database: ReadDatabase) -> ModelSource { sources[database.number] }

  var longRequests: LongRequests { LongRequests(parts.cursors) }
}

/// What services of the same database share, each of which answers with another model or other credentials.
struct ServiceParts: Sendable {
  let backend: any Backend
  let cursors: CursorCoding
  let metrics = ServiceMetrics()
  let planCounts = PlanCounts()
  let freedMemory = FreedMemory()
  let contentSlots: ContentSlots
  /// The database and its copies, by their numbers.
  let databases: [ReadDatabase]
  let screeningLog: ScreeningLog
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
    screeningLog = ScreeningLog(logger)
    contentSlots = ContentSlots(freedMemory, memory: options.contents.readSize)
    databases = try ReadDatabase.all(of: backend, options)
  }
}
