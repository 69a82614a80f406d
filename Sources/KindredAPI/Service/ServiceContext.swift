import KindredModel
import KindredPlanning
import KindredBackend
import KindredRequests

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
    sources = parts.databases.map {
      ModelSource($0.backend, parts.planCounts, logger: parts.logger, read: model)
    }
    planner = RequestPlanner(limits: options.limits, parts.cursors, options.basePath)
    access = try AccessControl(options, sources[0], logger: parts.logger)
    types = OfferedTypes(options)
    problems = ProblemReporter(parts, options, sources[0], types)
    finisher = ResponseFinisher(options, access, parts.metrics)
    isWritable = options.isWritable && parts.backend.isWritable
  }

  /// The models of the database that takes the writes.
  var models: ModelSource { sources[0] }

  /// Returns the models of a database.
  func models(of database: ReadDatabase) -> ModelSource { sources[database.number] }

  var longRequests: LongRequests { LongRequests(parts.cursors) }
}
