import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite
import Logging

/// Answers the requests of clients from a database.
public final class KindredService: HTTPHandler {
  /// What the service may be told beside its database.
  public struct Options: Sendable {
    public var limits = RequestLimits()
    /// How long a request may take, in seconds; nil for ever.
    public var queryTime: Double? = 10

    public init() {}
  }

  let pool: ConnectionPool
  let models: ModelSource
  let options: Options
  let logger: Logger

  /// - Parameter model: makes the model of the database as a connection sees it: anew when the schema changes.
  public init(
    pool: ConnectionPool, options: Options = Options(), logger: Logger,
    model: @escaping @Sendable (Connection) throws -> Model
  ) throws {
    self.pool = pool
    self.options = options
    self.logger = logger
    models = ModelSource(read: model)
    let version = try pool.withReader { try models.version(for: $0) }
    for warning in version.model.warnings { logger.warning("\(warning)") }
  }

  public func respond(to request: HTTPRequest) -> HTTPResponse {
    do {
      return try Route(request).respond(self, request)
    } catch {
      return problem(for: error).response
    }
  }

  public func response(to error: HTTPError) -> HTTPResponse { Problem(error).response }

  /// What a client is told of an error; the rest goes to the log.
  func problem(for error: any Error) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let error as RequestError: return Problem(error)
    case let error as DatabaseError:
      if let problem = Problem(error) { return problem }
    default: break
    }
    let id = String(UInt32.random(in: .min ... .max), radix: 16)
    logger.error("\(error)", metadata: ["id": "\(id)"])
    return Problem.defect(id)
  }
}
