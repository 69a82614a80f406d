import KindredAPI
import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredPostgreSQL
import KindredPostgreSQLBackend
import Logging
import Testing

/// A PostgreSQL database that is served to one test.
struct Served {
  let service: KindredService
  let backend: PostgreSQLBackend
  let target: ConnectionTarget

  /// Serves a database that is created by these statements.
  init(_ sql: String...) throws { try self.init(contentsOf: sql) }

  /// - Parameters:
  ///   - connections: The largest number of connections.
  ///   - configure: Changes the options of the service.
  ///   - model: Makes the model of the schema.
  init(
    contentsOf sql: [String], isWritable: Bool = false, connections: Int = .max,
    configure: (inout KindredService.Options) -> Void = { _ in },
    model: @escaping @Sendable (any SchemaSource) throws -> Model = { Model(inferredFrom: try $0.schema()) }
  ) throws {
    let target = try Cluster.database()
    let connection = try PostgreSQLConnection(target)
    for statement in sql { _ = try connection.run([Query(statement, isReusable: false)]) }
    try self.init(target, isWritable: isWritable, connections: connections, configure, model: model)
  }

  private init(
    _ target: ConnectionTarget, schemas: [String] = [], isWritable: Bool, connections: Int = .max,
    batches: BatchSizes = BatchSizes(),
    _ configure: (inout KindredService.Options) -> Void = { _ in },
    model: @escaping @Sendable (any SchemaSource) throws -> Model = { Model(inferredFrom: try $0.schema()) }
  ) throws {
    self.target = target
    var options = KindredService.Options()
    options.isWritable = isWritable
    configure(&options)
    backend = try PostgreSQLBackend(
      PostgreSQLPool(
        target, size: 4, checkoutTimeout: 60_000, budget: ConnectionBudget(limit: connections)),
      schemas: schemas, isWritable: isWritable,
      batches: batches,
      engine: Cluster.engine)
    service = try KindredService(
      backend, options: options,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      model: model)
  }

  /// The same database served by a new server, which reads its schema again.
  func reopened(isWritable: Bool = false, batches: BatchSizes = BatchSizes()) throws -> Served {
    try Served(target, isWritable: isWritable, batches: batches)
  }

  /// The same database served by a new server whose `--schema` names these.
  func reopened(schemas: [String]) throws -> Served {
    try Served(target, schemas: schemas, isWritable: true)
  }

  /// The same database, served by connections to another target.
  func through(_ target: ConnectionTarget) throws -> Served { try Served(target, isWritable: true) }

  /// Runs a statement on another connection, as another process would.
  func run(_ sql: String) throws {
    _ = try PostgreSQLConnection(target).run([Query(sql, isReusable: false)])
  }

  /// Returns the response to a GET.
  func get(_ url: String, headers: HTTPHeaders = [:]) -> HTTPResponse {
    service.respond(to: HTTPRequest(method: .get, target: url.replacing(" ", with: "%20"), headers: headers))
  }

  /// Returns the status and the content of the response to a request with JSON.
  func send(
    _ method: HTTPMethod, _ url: String, _ content: String?, of type: String = "application/json",
    headers: HTTPHeaders = [:]
  ) -> String {
    var request = HTTPRequest(method: method, target: url, headers: headers)
    if let content {
      request.headers.append("Content-Type", type)
      request.body = Array(content.utf8)
    }
    let response = service.respond(to: request)
    return "\(response.status.code) \(response.body.text)"
  }

  /// Returns the content of the response to a GET, preceded by the status if it is not 200.
  func text(_ url: String, headers: HTTPHeaders = [:]) -> String {
    let response = get(url, headers: headers)
    let text = response.body.text
    return response.status.code == 200 ? text : "\(response.status.code) \(text)"
  }
}

extension HTTPBody {
  /// The whole content, in any form.
  var text: String {
    switch self {
    case .none: return ""
    case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .stream(let stream, _):
      defer { stream.close() }
      var content: [UInt8] = []
      do {
        while let part = try stream.next() { content += part }
      } catch {
        return "the stream ended with \(error)"
      }
      return String(decoding: content, as: UTF8.self)
    }
  }
}
