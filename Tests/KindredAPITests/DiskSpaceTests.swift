import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredSQLite
import Logging
import Synchronization
import TestSupport
import Testing

@testable import KindredAPI
@testable import KindredSQLiteBackend

@Suite("A disk that is full")
struct DiskSpaceTests {
  private let directory: TemporaryDirectory
  private let pool: ConnectionPool
  private let service: KindredService

  private final class Disk: Sendable {
    let free = Mutex<UInt64>(1 << 20)
  }

  private let disk = Disk()

  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.path("library.sqlite")
    try Connection(path: path, access: .readWriteCreate).execute(
      "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 2)
    // The disk is full once the database has so many pages.
    try pool.withWriter { try $0.execute("PRAGMA max_page_count = 100") }
    var options = KindredService.Options()
    options.isWritable = true
    let backend = try SQLiteBackend(pool, freeSpace: { [disk] in disk.free.withLock { $0 } })
    service = try KindredService(
      backend, options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { Model(inferredFrom: try $0.schema()) }
  }

  private func send(_ body: String) throws -> Answer {
    try Answer(
      service.respond(
        to: HTTPRequest(
          method: .post, target: "/notes", headers: ["Content-Type": "application/json"],
          body: Array("{\"body\":\"\(body)\"}".utf8))))
  }

  private func ready() throws -> Answer {
    try Answer(service.respond(to: HTTPRequest(method: .get, target: "/-/ready")))
  }

  @Test
  func `makes the service unready until there is room, or something could be written`() throws {
    let long = String(repeating: "x", count: 900_000)
    #expect(try ready().status == 200)
    #expect(try send(long).status == 503)
    let answer = try ready()
    #expect(answer.status == 503)
    #expect(answer.text.contains("disk is full"))
    #expect(try send("short").status == 201)
    #expect(try ready().status == 200)
    #expect(try send(long).status == 503)
    #expect(try ready().status == 503)
    // What the write has taken is free again once it was undone, as its WAL file is emptied.
    disk.free.withLock { $0 += 2 << 20 }
    #expect(try ready().status == 200)
  }

  @Test
  func `and a file that can't be written make the service unready until it can be written again`() throws {
    try pool.withWriter { try $0.execute("PRAGMA query_only = ON") }
    #expect(try send("x").status == 503)
    #expect(try ready().status == 503)
    #expect(try ready().status == 503)
    try pool.withWriter { try $0.execute("PRAGMA query_only = OFF") }
    // No client writes, so the service tries by itself.
    for _ in 0..<6000 where try ready().status != 200 { Thread.sleep(forTimeInterval: 0.01) }
    #expect(try ready().status == 200)
    #expect(try send("x").status == 201)
  }

  @Test
  func `leaves a WAL file without what could not be written`() throws {
    try pool.withWriter { try $0.execute("PRAGMA cache_size = 5; PRAGMA max_page_count = 400") }
    #expect(try send(String(repeating: "x", count: 1_000_000)).status == 201)
    #expect(pool.writeAheadLogSize ?? 0 > 1_000_000)
    #expect(try send(String(repeating: "x", count: 1_000_000)).status == 503)
    for _ in 0..<6000 where pool.writeAheadLogSize != 0 { Thread.sleep(forTimeInterval: 0.01) }
    #expect(pool.writeAheadLogSize == 0)
  }
}
