import Foundation
import Kindred
import KindredAPI
import KindredHTTP
import Logging
import Synchronization
import Testing

@testable import KindredRemote

/// Redirects each request to another path of the same server.
private final class Redirector: HTTPHandler {
  private let log = Mutex<[String]>([])

  var targets: [String] { log.withLock { $0 } }

  func answer(_ request: HTTPRequest) -> HTTPAnswer {
    log.withLock { $0.append("\(request.target)") }
    return .now(HTTPResponse(status: HTTPStatus(code: 302) ?? .ok, headers: ["Location": "/elsewhere"]))
  }

  func response(to error: HTTPError, from peer: String?) -> HTTPResponse {
    HTTPResponse(status: error.status)
  }
}

@Suite("Over HTTP", .serialized)
struct SocketTests {
  private static func server(of library: ServedLibrary) -> HTTPServer {
    HTTPServer(
      host: "127.0.0.1", port: 0, handler: library.service,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test
  func `URLSession is the default transport`() async throws {
    var options = KindredService.Options()
    options.live = .init()
    let library = try ServedLibrary(options: options)
    let server = Self.server(of: library)
    let address = try server.start()
    defer { server.shutdown(grace: .seconds(1)) }
    let remote = RemoteDatabase(try URL(named: "http://127.0.0.1:\(address.port)/"))
    #expect(try await infos(of: remote) == infos(of: library.file))
    #expect(try await remote.fetchCount(Book.all()) == 4)
    #expect(try await remote.fetchAll(Book.filter(keys: Array(Int64(1)...5000))).count == 4)
    await #expect(throws: RemoteError.self) { try await remote.fetchAll(Book.filter(Column("x") == 1)) }
    var values = remote.values(of: Author.order(\.id).select(Column("name"), as: String.self))
      .makeAsyncIterator()
    #expect(try await values.next()?.count == 3)
    try await library.file.write { db in try db.execute(sql: "DELETE FROM author WHERE id = 3") }
    #expect(try await values.next()?.count == 2)
  }

  @Test
  func `a program that reads slowly holds up neither the server nor other requests`() async throws {
    let library = try ServedLibrary()
    let title = String(repeating: "x", count: 1000)
    try await library.file.write { db in
      for id in Int64(10)..<10_010 { try Book(id: id, authorId: nil, title: title).insert(db) }
    }
    let server = Self.server(of: library)
    let address = try server.start()
    defer { server.shutdown(grace: .seconds(1)) }
    let remote = RemoteDatabase(try URL(named: "http://127.0.0.1:\(address.port)/"))
    var books = remote.records(of: Book.order(\.id)).makeAsyncIterator()
    #expect(try await books.next()?.id == 1)
    #expect(try await remote.fetchCount(Book.all()) == 10_004)
    #expect(try await remote.fetchAll(Book.all()).count == 10_004)
    var count = 1
    while try await books.next() != nil { count += 1 }
    #expect(count == 10_004)
  }

  @Test
  func `a redirection isn't followed, so that no other host receives the token`() async throws {
    let redirector = Redirector()
    let server = HTTPServer(
      host: "127.0.0.1", port: 0, handler: redirector,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let address = try server.start()
    defer { server.shutdown(grace: .seconds(1)) }
    let remote = RemoteDatabase(try URL(named: "http://127.0.0.1:\(address.port)"), token: "secret")
    await #expect {
      try await remote.fetchAll(Book.all())
    } throws: {
      ($0 as? RemoteError)?.problem?.status == 302
    }
    #expect(redirector.targets == ["/-/schema"])
  }

  @Test
  func `a server that isn't there is an error of the network`() async throws {
    let remote = RemoteDatabase(try URL(named: "http://127.0.0.1:1"))
    await #expect(throws: (any Error).self) { try await remote.fetchAll(Book.all()) }
    let task = Task { try await remote.fetchAll(Book.all()) }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }
}
