import Foundation
import KindredAPI
import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredHTTP
import KindredSQLSyntax
import KindredSQLite
import Logging
import OracleValues
import OrderedCollections

/// A Kindred service in this process, with a separate database.
final class KindredDatabase {
  struct Answer {
    var status: Int
    var body: [UInt8]
    var count: String?
    /// The target of `rel="next"`.
    var next: String?

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let path: String
  private let pool: ConnectionPool
  private let service: KindredService

  init(_ schema: DatabaseSchema, isIndexed: Bool) throws {
    try SQLiteLibrary.initialize()
    path = NSTemporaryDirectory() + "oracle-\(UUID().uuidString).sqlite"
    let connection = try Connection(path: path, access: .readWriteCreate)
    // References may be dangling, as in databases that were written without enforcing foreign keys.
    try connection.execute("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN;")
    try connection.execute(schema.sql(isIndexed: isIndexed) + "COMMIT;")
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 1)
    var options = KindredService.Options()
    options.isWritable = schema.isWritable
    options.impersonated = .claims(Array(schema.claims.utf8))
    service = try KindredService(
      SQLiteBackend(pool), options: options, logger: Logger(label: "oracle") { _ in SwiftLogNoOpLogHandler() }
    ) { source in
      var model = Model(inferredFrom: try source.schema())
      try model.refine(by: schema)
      return model
    }
  }

  deinit {
    pool.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  func get(_ target: String, isLines: Bool = false) throws -> Answer {
    let headers: HTTPHeaders = isLines ? ["Accept": "application/x-ndjson"] : [:]
    return try answer(service.respond(to: HTTPRequest(method: .get, target: target, headers: headers)))
  }

  func send(_ method: String, _ target: String, _ content: String?, prefersMerge: Bool) throws -> Answer {
    var headers: HTTPHeaders = content == nil ? [:] : ["Content-Type": "application/json"]
    if prefersMerge { headers.append("Prefer", "resolution=merge-duplicates") }
    let methods: [String: HTTPMethod] = ["POST": .post, "PATCH": .patch, "DELETE": .delete]
    return try answer(
      service.respond(
        to: HTTPRequest(
          method: methods[method] ?? .get, target: target, headers: headers, body: Array((content ?? "").utf8)
        )
      ))
  }

  /// Returns the content of a table, whatever the service says.
  func rows(of table: TableSchema) throws -> [[Value]] {
    let columns = table.columns.map { quoted($0.name) }.joined(separator: ", ")
    return try pool.withReader { connection in
      try connection.withStatement("SELECT \(columns) FROM \(quoted(table.name))") { statement in
        var rows: [[Value]] = []
        while try statement.step() {
          rows.append(
            statement.row.map { value in
              switch value {
              case .null, .blob: .null
              case .integer(let integer): .integer(integer)
              case .real(let real): .real(real)
              case .text(let text): .text(text)
              }
            })
        }
        return rows
      }
    }
  }

  private func answer(_ response: HTTPResponse) throws -> Answer {
    var body: [UInt8] = []
    switch response.body {
    case .none: break
    case .bytes(let bytes): body = bytes
    case .stream(let stream, _):
      defer { stream.close() }
      while let part = try stream.next() { body += part }
    }
    return Answer(
      status: response.status.code, body: body, count: response.headers["X-Total-Count"],
      next: response.headers["Link"].flatMap(Self.next))
  }

  private static func next(in link: String) -> String? {
    guard let end = link.range(of: ">; rel=\"next\"") else { return nil }
    return link[..<end.lowerBound].split(separator: "<", omittingEmptySubsequences: false).last.map(
      String.init)
  }
}

extension Model {
  /// Adds the associations and settings that the model file declares.
  fileprivate mutating func refine(by schema: DatabaseSchema) throws {
    for table in schema.tables where table.isRemoved {
      resources[table.plural] = nil
      for (name, resource) in resources {
        resources[name]?.associations = resource.associations.compactMapValues {
          $0.destination == table.plural ? nil : $0
        }
      }
    }
    for table in schema.tables {
      resources[table.plural]?.sort = try Self.terms(table.defaultSort)
      resources[table.plural]?.fields = table.defaultFields
      if schema.isWritable {
        let rules: [(ResourceAccess.Verb, AccessRule?)] = [
          (.read, table.rule), (.create, table.writeRules[.create]), (.update, table.writeRules[.update]),
          (.delete, table.writeRules[.delete]),
        ]
        resources[table.plural]?.access = ResourceAccess(
          Dictionary(
            uniqueKeysWithValues: try rules.map { verb, rule in
              (verb, [AccessEntry(rows: try rule.map { try Self.expression($0.text) })])
            }))
      } else if let rule = table.rule {
        resources[table.plural]?.access = ResourceAccess([
          .read: [AccessEntry(rows: try Self.expression(rule.text))]
        ])
      }
      for association in table.associations where association.isOfModelFile {
        resources[table.plural]?.associations[association.key] = Association(
          key: association.key, cardinality: association.isToMany ? .toMany : .toOne,
          steps: try association.steps.map { step in
            var refined = AssociationStep(
              origin: step.origin, destination: step.destination, originColumns: step.originColumns,
              destinationColumns: step.destinationColumns, direction: step.isBelongsTo ? .belongsTo : .has,
              isToOne: step.isToOne, filter: try step.filter.map(Self.expression))
            refined.sort = try step.sort.map(Self.terms)
            return refined
          },
          destination: association.destination + "s", filter: try association.filter.map(Self.expression),
          sort: try Self.terms(association.sort))
      }
    }
  }

  private static func expression(_ expression: Expr) throws -> KindredModel.Expression {
    try Self.expression(expression.text)
  }

  private static func expression(_ text: String) throws -> KindredModel.Expression {
    var parser = try ExpressionParser(text)
    return try parser.parseExpression()
  }

  private static func terms(_ terms: [SortTerm]) throws -> [KindredModel.SortTerm] {
    guard !terms.isEmpty else { return [] }
    var parser = try ExpressionParser(terms.map(\.text).joined(separator: ","))
    return try parser.parseSort()
  }
}
