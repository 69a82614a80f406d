import Foundation
import KindredSQLSyntax
import Synchronization
import TestSupport
import Testing

@testable import KindredSQLite

@Suite("A file that is moved, deleted or replaced while it is served")
struct ServedFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func makeFile(_ name: String, items count: Int) throws -> String {
    let path = directory.path(name)
    let connection = try Connection(path: path, access: .readWriteCreate)
    try connection.execute("CREATE TABLE item (n INTEGER)")
    for number in 0..<count { try connection.execute("INSERT INTO item VALUES (\(number))") }
    return path
  }

  private func move(_ path: String, to other: String) throws {
    #expect(rename(path, other) == 0)
  }

  private func count(_ connection: Connection) throws -> SQLValue? {
    try connection.value("SELECT count(*) FROM item")
  }

  private func count(at path: String) throws -> SQLValue? {
    try count(try Connection(path: path, access: .readOnly))
  }

  private func write(by queue: WriteQueue) throws {
    let result = Mutex<Result<Void, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    queue.submit(deadline: nil) {
      try $0.execute("INSERT INTO item VALUES (9)")
    } completion: { outcome in
      result.withLock { $0 = outcome }
      isDone.signal()
    }
    isDone.wait()
    try result.withLock { try $0?.get() }
  }

  private func isMoved(_ error: any Error) -> Bool { (error as? OpenError)?.reason == .moved }

  @Test
  func `no write goes to it, and what was written before is in it and not beside the new one`() throws {
    let path = try makeFile("served.db", items: 1)
    let pool = try ConnectionPool(path: path, access: .readWrite, readers: 2)
    let queue = WriteQueue(pool)
    try write(by: queue)
    #expect(pool.file.standing == .inPlace)
    try move(path, to: directory.path("moved.db"))
    #expect(pool.file.standing == .missing)
    #expect { try write(by: queue) } throws: { isMoved($0) }
    try move(try makeFile("new.db", items: 5), to: path)
    #expect(pool.file.standing == .replaced)
    #expect { try write(by: queue) } throws: { isMoved($0) }
    // A connection that is open goes on; one that would be opened now would have the other file.
    let reader = try pool.reader()
    #expect(try count(reader) == .integer(2))
    #expect { try pool.reader() } throws: { isMoved($0) }
    pool.release(reader)
    queue.waitUntilIdle()
    try pool.emptyWriteAheadLog(after: queue.ledger)
    pool.close()
    #expect(try count(at: path) == .integer(5))
    #expect(try count(at: directory.path("moved.db")) == .integer(2))
  }

  @Test(arguments: ["-wal", "-shm"])
  func `no write is acknowledged once a file beside it is removed`(end: String) throws {
    let path = try makeFile("served.db", items: 1)
    let pool = try ConnectionPool(path: path, access: .readWrite, readers: 2)
    let queue = WriteQueue(pool)
    try write(by: queue)
    #expect(unlink(path + end) == 0)
    #expect(pool.file.standing == .withoutLog)
    #expect { try write(by: queue) } throws: { ($0 as? OpenError)?.reason == .withoutLog }
    pool.close()
  }

  @Test
  func `a backup that is copied over it stays whole`() throws {
    let path = try makeFile("served.db", items: 1)
    let backup = try makeFile("backup.db", items: 5)
    let pool = try ConnectionPool(path: path, access: .readWrite, readers: 2)
    let queue = WriteQueue(pool)
    for _ in 0..<200 { try write(by: queue) }
    try Data(contentsOf: URL(filePath: backup)).write(to: URL(filePath: path), options: [])
    for end in ["-wal", "-shm"] { #expect(unlink(path + end) == 0) }
    #expect { try write(by: queue) } throws: { ($0 as? OpenError)?.reason == .withoutLog }
    queue.waitUntilIdle()
    try pool.emptyWriteAheadLog(after: queue.ledger)
    pool.close()
    let restored = try Connection(path: path, access: .readOnly)
    #expect(try count(restored) == .integer(5))
    #expect(try restored.value("PRAGMA integrity_check") == .text("ok"))
  }

  @Test
  func `a write that is under way when it goes isn't acknowledged`() throws {
    let path = try makeFile("served.db", items: 1)
    let pool = try ConnectionPool(path: path, access: .readWrite, readers: 1)
    let queue = WriteQueue(pool)
    let moved = directory.path("moved.db")
    let failure = Mutex<(any Error)?>(nil)
    queue.submit(deadline: nil) { connection in
      try connection.execute("INSERT INTO item VALUES (9)")
      rename(path, moved)
    } completion: { result in
      if case .failure(let error) = result { failure.withLock { $0 = error } }
    }
    queue.waitUntilIdle()
    #expect(failure.withLock { $0.map(isMoved) ?? false })
    #expect(rename(moved, path) == 0)
    try write(by: queue)
    #expect(try pool.withReader(count) == .integer(2))
  }

  @Test
  func `connections that only read get the new one, once that is said`() throws {
    let path = try makeFile("served.db", items: 1)
    let pool = try ConnectionPool(path: path, access: .readOnly, readers: 3)
    let sibling = try pool.sibling(readers: 1)
    let held = try pool.reader()
    let version = try held.schemaVersion
    try move(try makeFile("new.db", items: 5), to: path)
    #expect(try sibling.withReader(count) == .integer(1))
    try pool.renewFile()
    sibling.closeIdle()
    for pool in [pool, sibling] { #expect(try pool.withReader(count) == .integer(5)) }
    #expect(try pool.withReader { try $0.schemaVersion } != version, "the schema may be another")
    #expect(try count(held) == .integer(1))
    pool.release(held)
    #expect(pool.statistics.readersOpen == 1, "it is closed when it is released")
  }

  @Test
  func `a new one that is no database is not served`() throws {
    let path = try makeFile("served.db", items: 1)
    let pool = try ConnectionPool(path: path, access: .readOnly, readers: 1)
    try move(try directory.write("nothing", to: "new.db"), to: path)
    #expect { try pool.renewFile() } throws: { ($0 as? OpenError)?.reason == .notADatabase }
    #expect(try pool.withReader(count) == .integer(1))
    try move(try makeFile("other.db", items: 2), to: path)
    try pool.renewFile()
    #expect(try pool.withReader(count) == .integer(2))
  }

  @Test
  func `a watcher is called repeatedly until it is stopped`() throws {
    let pool = try ConnectionPool(
      path: try makeFile("served.db", items: 0), access: .readOnly, readers: 1)
    let calls = Atomic(0)
    let isCalledTwice = DispatchSemaphore(value: 0)
    pool.file.startWatching {
      if calls.wrappingAdd(1, ordering: .relaxed).newValue == 2 { isCalledTwice.signal() }
    }
    #expect(isCalledTwice.wait(timeout: .now() + 60) == .success)
    pool.file.stopWatching()
  }
}
