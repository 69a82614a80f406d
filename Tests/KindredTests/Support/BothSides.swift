import CKindredSQLite
import Foundation
import KindredAPI
import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredHTTP
import KindredSQLite
import Logging
import Synchronization
import Testing

@testable import Kindred
@testable import KindredRemote

// The tests of this module fetch from a file. Here each fetch of a request is followed by the same one from a server on
// a copy of the database, whose rows must be the same. The compiler prefers these methods to those of the library,
// because they are of a concrete type.

extension QueryInterfaceRequest where RowDecoder: RowDecodable {
  func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try BothSides.compare(self, on: db)
    return try RowDecoder.fetchAll(db, AnyRequest(self))
  }

  func fetchOne(_ db: Database) throws -> RowDecoder? {
    try BothSides.compare(self, on: db)
    return try RowDecoder.fetchOne(db, AnyRequest(self))
  }

  func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try BothSides.compare(self, on: db)
    return try RowDecoder.fetchSet(db, AnyRequest(self))
  }

  func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder> {
    try BothSides.compare(self, on: db)
    return try RowDecoder.fetchCursor(db, AnyRequest(self))
  }
}

extension RowDecodable {
  static func fetchAll<Value>(_ db: Database, _ request: QueryInterfaceRequest<Value>) throws -> [Self] {
    try BothSides.compare(request, on: db)
    return try fetchAll(db, AnyRequest(request))
  }

  static func fetchOne<Value>(_ db: Database, _ request: QueryInterfaceRequest<Value>) throws -> Self? {
    try BothSides.compare(request, on: db)
    return try fetchOne(db, AnyRequest(request))
  }

  static func fetchSet<Value>(_ db: Database, _ request: QueryInterfaceRequest<Value>) throws -> Set<Self>
  where Self: Hashable {
    try BothSides.compare(request, on: db)
    return try fetchSet(db, AnyRequest(request))
  }

  static func fetchCursor<Value>(
    _ db: Database, _ request: QueryInterfaceRequest<Value>
  ) throws -> MapCursor<RowCursor, Self> {
    try BothSides.compare(request, on: db)
    return try fetchCursor(db, AnyRequest(request))
  }
}

/// A request that only the library's own methods fetch.
struct AnyRequest<RowDecoder>: Kindred.FetchRequest {
  let base: QueryInterfaceRequest<RowDecoder>

  init(_ base: QueryInterfaceRequest<RowDecoder>) { self.base = base }

  func prepare(_ db: Database) throws -> (Kindred.Statement, (any RowAdapter)?) { try base.prepare(db) }

  func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    try base.prepareRequest(db, isForSingleRow: isForSingleRow)
  }

  func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }
}

/// Compares the rows of requests from a file and from a server.
enum BothSides {
  /// What a comparison has found.
  enum Outcome: Equatable {
    case compared
    /// Nothing: a file refuses the request, or no server can have such a database.
    case nothing
    /// The request can't be sent to a server, because of this part of it.
    case refused(String)
  }

  /// Compares the rows and the number of rows.
  @discardableResult
  static func compare<Value>(
    _ request: QueryInterfaceRequest<Value>, on db: Database,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let blueprint = request.blueprint
    guard try db.canBeCopied else { return .nothing }
    // What a file refuses needs no server.
    guard let expected = try? Row.fetchAll(db, AnyRequest(request)) else { return .nothing }
    let count = try request.fetchCount(db)
    let server = try CopyServer(of: db)
    let prepared: PreparedRemoteRequest
    do {
      prepared = try PreparedRemoteRequest(blueprint, in: try server.schema())
    } catch RemoteError.notExpressible(let part) {
      Report.note("refused", part)
      return .refused(part)
    } catch RemoteError.unknownTable(let name) {
      Report.note("refused", "the table \(name)")
      return .refused(name)
    }
    let (status, content) = try server.answer(.get, prepared.target, "application/x-ndjson;profile=rows")
    guard status == 200 else {
      let text = String(decoding: content, as: UTF8.self)
      Report.note("problem", "\(prepared.target.removingPercentEncoding ?? "") \(text)")
      Issue.record("\(prepared.target): \(text)", sourceLocation: sourceLocation)
      return .compared
    }
    let failures = DecodingFailures()
    let rows = try content.split(separator: UInt8(ascii: "\n")).map { line in
      var parser = RowParser(line, failures)
      return try parser.row(prepared.layout)
    }
    // Where the request gives no order, SQLite may return the rows in any.
    let isOrdered = !blueprint.ordering.isEmpty
    let (left, right) = (expected.map(\.comparable), rows.map(\.comparable))
    let isSame = left == right || !isOrdered && left.sorted() == right.sorted()
    Report.note(
      left == right ? "same" : isSame ? "other order" : "different",
      prepared.target.removingPercentEncoding ?? "")
    #expect(
      isSame, "\(prepared.target.removingPercentEncoding ?? "")\n\(left)\n\(right)",
      sourceLocation: sourceLocation)
    let counting = try PreparedRemoteRequest(blueprint, in: try server.schema(), counting: true)
    let total = try server.count(counting.target)
    #expect(
      total.map(counting.count) == count, "count of \(prepared.target)", sourceLocation: sourceLocation)
    return .compared
  }
}

extension Database {
  /// Whether a server can have the same database: one without temporary and attached tables, and without collations of
  /// the program.
  fileprivate var canBeCopied: Bool {
    get throws {
      let columns = try model.tables.values.flatMap(\.columns)
      return try versionOfSchema.own == nil
        && columns.allSatisfy { ["BINARY", "NOCASE", "RTRIM"].contains($0.collation.uppercased()) }
    }
  }
}

extension Row {
  /// The row as text: its values with their types, its scopes and its collections, whose order is left out.
  fileprivate var comparable: String {
    let columns = zip(layout.columns, databaseValues).map { column, value in "\(value.sqlValue)" }
    let scopes = scopes.map { "\($0.name): \($0.row.comparable)" }
    let lists = prefetchedRows.ownKeys.map { key in
      "\(key): \((prefetchedRows[key] ?? []).map(\.comparable).sorted())"
    }
    return "\(columns + scopes + lists)"
  }
}

/// A server in this process, on a copy of a database as an access sees it.
private final class CopyServer {
  private let path = NSTemporaryDirectory() + "kindred-\(UUID().uuidString).sqlite"
  private let pool: ConnectionPool
  private let service: KindredService

  init(of db: Database) throws {
    // Full-text tables keep what a transaction has written in memory until it ends, or a savepoint begins.
    if db.isInsideTransaction, sqlite3_txn_state(try db.connection.handle, "main") == SQLITE_TXN_WRITE {
      sqlite3_exec(try db.connection.handle, "SAVEPOINT copy; RELEASE copy", nil, nil, nil)
    }
    var size: sqlite3_int64 = 0
    let bytes = sqlite3_serialize(try db.connection.handle, "main", &size, 0)
    defer { sqlite3_free(bytes) }
    try Data(bytes: try #require(bytes), count: Int(size)).write(to: URL(filePath: path))
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 1)
    service = try KindredService(
      SQLiteBackend(pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { source in Model(inferredFrom: try source.schema()) }
  }

  deinit {
    pool.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  func schema() throws -> RemoteSchema {
    try RemoteSchema(json: try answer(.get, "/-/schema", "application/json").content)
  }

  func count(_ target: String) throws -> Int64? {
    let response = service.respond(to: HTTPRequest(method: .head, target: target))
    return response.headers["X-Total-Count"].flatMap { Int64($0) }
  }

  func answer(
    _ method: HTTPMethod, _ target: String, _ type: String
  ) throws -> (status: Int, content: [UInt8]) {
    let response = service.respond(to: HTTPRequest(method: method, target: target, headers: ["Accept": type]))
    var content: [UInt8] = []
    switch response.body {
    case .none: break
    case .bytes(let bytes): content = bytes
    case .stream(let stream, _):
      defer { stream.close() }
      while let part = try stream.next() { content += part }
    }
    return (response.status.code, content)
  }
}

/// Appends the outcome of each comparison to a file, if the environment names one.
private enum Report {
  private static let file = Mutex(
    ProcessInfo.processInfo.environment["KINDRED_COMPARISONS"].flatMap { path -> FileHandle? in
      if !FileManager.default.fileExists(atPath: path) {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
      }
      let handle = FileHandle(forWritingAtPath: path)
      _ = try? handle?.seekToEnd()
      return handle
    })

  static func note(_ outcome: String, _ detail: String) {
    file.withLock { try? $0?.write(contentsOf: Data("\(outcome)\t\(detail)\n".utf8)) }
  }
}
