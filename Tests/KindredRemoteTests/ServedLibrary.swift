import Dispatch
import Foundation
import Kindred
import KindredAPI
import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredHTTP
import KindredModelFile
import KindredRemote
import KindredSQLite
import Logging
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Author: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable, Sendable {
  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
  }

  var id: Int64
  var name: String
  var birth: Date?
  var portrait: Data?
  var isRead: Bool

  static let books = hasMany(Book.self)
}

struct Book: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable, Sendable {
  enum Kind: String, Codable, DatabaseValueConvertible { case novel, poem }

  var id: Int64
  var authorId: Int64?
  var title: String
  var kind: Kind?
  var price: Double?

  static let author = belongsTo(Author.self)
}

struct AuthorInfo: Codable, FetchableRecord, Hashable, Sendable {
  var author: Author
  var books: [Book]
}

/// A database in a file, and a server on it in this process.
final class ServedLibrary: Sendable {
  let file: DatabaseQueue
  let service: KindredService
  private let pool: ConnectionPool
  private let path: String
  private let log = Mutex<[RemoteRequest]>([])

  static let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, birth DATETIME, portrait BLOB, isRead BOOLEAN);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT NOT NULL, kind TEXT, price REAL);
    """

  static let authors = [
    Author(
      id: 1, name: "Herman \"M\" Melville\n", birth: Date(timeIntervalSince1970: -4_755_000_000.5),
      portrait: Data([0, 255, 10, 34]), isRead: true),
    Author(id: 2, name: "Zoë 😀", birth: nil, portrait: Data(), isRead: false),
    Author(id: 3, name: "", birth: nil, portrait: nil, isRead: false),
  ]
  static let books = [
    Book(id: 1, authorId: 1, title: "Moby-Dick", kind: .novel, price: 12.5),
    Book(id: 2, authorId: 1, title: "Clarel", kind: .poem, price: 3),
    Book(id: 3, authorId: 2, title: "Truth", kind: nil, price: nil),
    Book(id: 4, authorId: nil, title: "Beowulf", kind: .poem, price: 0.1 + 0.2),
  ]

  init(options: KindredService.Options = .init(), modelFile: String? = nil) throws {
    path = NSTemporaryDirectory() + "kindred-\(UUID().uuidString).sqlite"
    file = try DatabaseQueue(path: path)
    try file.write { db in
      try db.execute(sql: Self.schema)
      for author in Self.authors { try author.insert(db) }
      for book in Self.books { try book.insert(db) }
    }
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 2, checkoutTimeout: 120_000)
    let model = try modelFile.map { try ModelFileParser(path: "model.yaml").parse($0) }
    service = try KindredService(
      SQLiteBackend(pool), options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { source in try model?.model(of: source) ?? Model(inferredFrom: try source.schema()) }
  }

  deinit {
    try? file.close()
    pool.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  /// The requests that have been sent to the server in this process.
  var requests: [RemoteRequest] { log.withLock { $0 } }
  var targets: [String] {
    requests.map { request in
      "\(request.method) \(request.url.path())\(request.url.query().map { "?\($0)" } ?? "")"
    }
  }

  /// A database on the server, without a socket.
  func remote(token: String? = nil) throws -> RemoteDatabase {
    RemoteDatabase(try URL(named: "http://library.example"), token: token, transport: transport)
  }

  /// Passes requests to the service in this process.
  var transport: RemoteTransport {
    { [self] request in
      log.withLock { $0.append(request) }
      var headers = HTTPHeaders()
      for (name, value) in request.headers { headers.append(name, value) }
      let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
      let response = service.respond(
        to: HTTPRequest(
          method: HTTPMethod(request.method) ?? .get, target: request.url.path(percentEncoded: true) + query,
          headers: headers, body: request.body ?? []))
      var fields: [String: String] = [:]
      for (name, value) in response.headers { fields[name] = value }
      var body = response.body
      if request.method == "HEAD" {
        // As over a socket, an answer to HEAD has no content.
        if case .stream(let stream, _) = body { stream.close() }
        body = .none
      }
      return RemoteResponse(status: response.status.code, headers: fields, body: Self.parts(of: body))
    }
  }

  private struct Stream: @unchecked Sendable {
    // One thread reads it.
    let body: any HTTPBodyStream
  }

  private static func parts(of body: HTTPBody) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      switch body {
      case .none: continuation.finish()
      case .bytes(let bytes):
        continuation.yield(bytes)
        continuation.finish()
      case .stream(let body, _):
        let stream = Stream(body: body)
        let signal = DispatchSemaphore(value: 0)
        continuation.onTermination = { _ in signal.signal() }
        stream.body.onReady { signal.signal() }
        Thread.detachNewThread {
          defer { stream.body.close() }
          do {
            while let part = try stream.body.next() {
              if part.isEmpty {
                signal.wait()
              } else if case .terminated = continuation.yield(Array(part)) {
                return
              }
            }
            continuation.finish()
          } catch {
            continuation.finish(throwing: error)
          }
        }
      }
    }
  }
}

extension URL {
  /// Creates a URL from its text.
  init(named text: String) throws {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    self = url
  }
}
