import Foundation
import Kindred
import KindredAPI
import KindredHTTP
import Logging
import Synchronization
import Testing

@testable import KindredRemote

private struct Page: Codable, FetchableRecord, TableRecord, Sendable {
  var id: Int
  var text: String
}

@Suite("Answers that are read slowly", .serialized)
struct SlowReaderTests {
  /// 100 MB in records that are made as they are read.
  private static let pages = """
    CREATE VIEW page AS WITH RECURSIVE number (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM number WHERE id < 2000)
    SELECT id, printf('%.*c', 50000, 'x') AS text FROM number
    """

  private struct Served {
    let library: ServedLibrary
    let server: HTTPServer
    let remote: RemoteDatabase
  }

  private func served(compressionLevel: Int?) async throws -> Served {
    var options = KindredService.Options()
    options.compressionLevel = compressionLevel
    let library = try ServedLibrary(options: options)
    try await library.file.write { db in try db.execute(sql: Self.pages) }
    let server = HTTPServer(
      host: "127.0.0.1", port: 0, handler: library.service,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let address = try server.start()
    return Served(
      library: library, server: server,
      remote: RemoteDatabase(try URL(named: "http://127.0.0.1:\(address.port)")))
  }

  /// Waits until the server sends no more, and returns how much it has sent.
  private func sentBytes(by server: HTTPServer) async throws -> Int {
    var (sent, before) = (0, -1)
    while sent != before {
      before = sent
      try await Task.sleep(for: .milliseconds(400))
      sent = server.counters.sentBytes
    }
    return sent
  }

  @Test
  func `a large answer is received as it is read, and not before`() async throws {
    let served = try await served(compressionLevel: nil)
    defer { served.server.shutdown(grace: .seconds(1)) }
    var pages = served.remote.records(of: Page.all()).makeAsyncIterator()
    #expect(try await pages.next()?.id == 1)
    // What both ends of a socket may hold, and what waits before it is decoded, and after.
    #expect(try await sentBytes(by: served.server) < 30_000_000)
    var last = 1
    while let page = try await pages.next() {
      #expect(page.id == last + 1 && page.text.utf8.count == 50_000)
      last = page.id
    }
    #expect(last == 2000)
  }

  @Test
  func `a compressed answer is decompressed as it is read`() async throws {
    let served = try await served(compressionLevel: 1)
    defer { served.server.shutdown(grace: .seconds(1)) }
    var ids: [Int] = []
    for try await page in served.remote.records(of: Page.all()) { ids.append(page.id) }
    #expect(ids == Array(1...2000))
  }

  @Test
  func `a reader that stops ends the answer, also while it is held up`() async throws {
    let served = try await served(compressionLevel: nil)
    defer { served.server.shutdown(grace: .seconds(1)) }
    for try await _ in served.remote.records(of: Page.all()) { break }
    let task = Task {
      for try await _ in served.remote.records(of: Page.all()) { try await Task.sleep(for: .seconds(600)) }
    }
    _ = try await sentBytes(by: served.server)
    task.cancel()
    _ = await task.result
    // All connections but the one for the schema are closed.
    for _ in 0..<600 where served.server.counters.openConnections > 1 {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(served.server.counters.openConnections <= 1)
  }
}

@Suite("Channels of bounded length")
struct BoundedChannelTests {
  @Test
  func `the producer waits while too much has not been taken`() async throws {
    let channel = BoundedChannel<Int>(limit: 10)
    let sent = Mutex(0)
    let producer = Task {
      for number in 1...20 {
        try await channel.send([number, -number], length: 5)
        sent.withLock { $0 = number }
      }
      channel.finish()
    }
    var taken: [Int] = []
    while let number = try await channel.next() {
      taken.append(number)
      // Two batches are waiting at most, a third one is being sent.
      #expect(sent.withLock { $0 } <= taken.count / 2 + 3)
    }
    try await producer.value
    #expect(taken == (1...20).flatMap { [$0, -$0] })
  }

  @Test
  func `an error comes after the elements before it`() async throws {
    struct Broken: Error {}
    let channel = BoundedChannel<Int>(limit: 10)
    channel.put([1, 2], length: 2)
    channel.finish(throwing: Broken())
    channel.put([3], length: 1)
    #expect(try await channel.next() == 1)
    #expect(try await channel.next() == 2)
    await #expect(throws: Broken.self) { try await channel.next() }
  }

  @Test
  func `a consumer that takes no more ends the waiting of the producer`() async throws {
    let channel = BoundedChannel<Int>(limit: 1)
    let producer = Task { try await channel.send([1], length: 1) }
    let isThere = Mutex(false)
    channel.whenRoom { isThere.withLock { $0 = true } }
    channel.close()
    await #expect(throws: CancellationError.self) { try await producer.value }
    #expect(channel.hasRoom)
  }

  @Test
  func `a consumer that is cancelled while it waits throws`() async throws {
    let channel = BoundedChannel<Int>(limit: 1)
    let consumer = Task { try await channel.next() }
    try await Task.sleep(for: .milliseconds(20))
    consumer.cancel()
    await #expect(throws: CancellationError.self) { try await consumer.value }
  }
}
