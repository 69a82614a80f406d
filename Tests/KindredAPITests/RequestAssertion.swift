import KindredSQLiteDialect
import Foundation
import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredHTTP
import KindredModelFile
import KindredSQLite
import Logging
import Testing

@testable import KindredAPI
@testable import KindredRequests

/// A service on a database that lives as long as the test.
final class TestDatabase: Sendable {
  let service: KindredService
  let pool: ConnectionPool
  let path: String

  /// - Parameters:
  ///   - sql: The schema and the data.
  ///   - modelFile: A model file that changes the inferred model.
  ///   - configuration: The configuration of the connections.
  ///   - logger: A logger; silent unless the test is about it.
  init(
    _ sql: String, modelFile: String? = nil, options: KindredService.Options = .init(),
    configuration: ConnectionConfiguration = .init(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) throws {
    try SQLiteLibrary.initialize()
    path = NSTemporaryDirectory() + "kindred-\(UUID().uuidString).sqlite"
    let connection = try Connection(path: path, access: .readWriteCreate)
    try connection.execute(sql)
    pool = try ConnectionPool(
      path: path, access: .readWrite, readers: 4, checkoutTimeout: 120_000, configuration: configuration)
    var options = options
    // A generous time, since a busy machine may be slow; tests of the limit set their own.
    if options.queryTime == KindredService.Options().queryTime { options.queryTime = 120 }
    let file = try modelFile.map { try ModelFileParser(path: "model.yaml").parse($0) }
    service = try KindredService(SQLiteBackend(pool), options: options, logger: logger) { source in
      try file?.model(of: source) ?? Model(inferredFrom: try source.schema())
    }
  }

  deinit {
    pool.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  /// The model of the current schema.
  var model: Model { get throws { try service.context.models.latest().model } }

  /// Returns the response to a GET.
  func get(_ target: String, headers: HTTPHeaders = [:]) throws -> (
    status: Int, headers: HTTPHeaders, text: String
  ) {
    let response = service.respond(
      to: HTTPRequest(method: .get, target: Self.encoded(target), headers: headers))
    return (response.status.code, response.headers, try Self.text(response.body))
  }

  /// Returns the statements of a request, one per line.
  func statements(_ target: String) throws -> String {
    let plan = try plan(target)
    return (plan.path.map(\.statement) + plan.nodes.map(\.statement)).map(\.sql).joined(separator: "\n")
  }

  /// Returns the plan of a request, for a database of the same schema.
  func plan(_ target: String, dialect: Dialect = .sqlite, limits: PlanningLimits = .none) throws -> Plan {
    let parts = Self.encoded(target).split(separator: "?", maxSplits: 1)
    let model = try model
    var parser = FetchRequestParser(model: model, limits: RequestLimits())
    parser.cursors = service.context.parts.cursors
    let parsed = try parser.parse(
      path: parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false),
      query: URLQuery(parts.count > 1 ? parts[1] : nil))
    return try Planner(model: model, dialect: dialect, limits: limits).plan(parsed.fetchRequest)
  }

  private static func text(_ body: HTTPBody) throws -> String {
    switch body {
    case .none: return ""
    case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .stream(let stream, _):
      var bytes: [UInt8] = []
      defer { stream.close() }
      while let part = try stream.next() { bytes += part }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Returns the target that a browser would send: spaces and quotes are encoded, `+` and `&` aren't.
  static func encoded(_ target: String) -> String { URLCoding.encodeUnsafe(target) }
}

/// Asserts the SQL and the JSON of a URL.
///
/// - Parameters:
///   - sql: The statements, the root's first; nil if the test isn't about them.
///   - json: The body without line breaks; those in the literal are removed.
func expectRequest(
  _ target: String, on database: TestDatabase, sql: String? = nil, json: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  if let sql {
    #expect(try database.statements(target) == sql, sourceLocation: sourceLocation)
  }
  let answer = try database.get(target)
  let expected = json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
  #expect(answer.text == expected, sourceLocation: sourceLocation)
  #expect(answer.status == 200, sourceLocation: sourceLocation)
}

/// Asserts that a request is refused, with the parameter and position of the error and the suggested names.
func expectProblem(
  _ target: String, on database: TestDatabase, status: Int = 400, code: RequestError.Code,
  parameter: String? = nil,
  position: Int? = nil, suggestion: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let answer = try database.get(target)
  #expect(answer.status == status, sourceLocation: sourceLocation)
  #expect(answer.headers["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
  let document = try #require(
    try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any],
    sourceLocation: sourceLocation)
  #expect(document["type"] as? String == "/-/errors#\(code.rawValue)", sourceLocation: sourceLocation)
  #expect(document["parameter"] as? String == parameter, sourceLocation: sourceLocation)
  if let position { #expect(document["position"] as? Int == position, sourceLocation: sourceLocation) }
  if let suggestion {
    #expect((document["suggestions"] as? [String])?.first == suggestion, sourceLocation: sourceLocation)
  }
}
