import Dispatch
import Foundation
import KindredAPI
import KindredHTTP
import KindredPostgreSQLBackend
import Synchronization
import Testing

/// Results whose length isn't limited, each of which holds a connection while its client reads.
@Suite(.enabled(if: Cluster.isAvailable))
struct LongResultTests {
  private static let records = 300

  /// A collection of more than what is read before anything is sent, 1 MiB.
  private static func served(
    configure: (inout KindredService.Options) -> Void = { _ in }
  ) throws -> Served {
    try Served(
      contentsOf: [
        "CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL)",
        "CREATE TABLE book (id int PRIMARY KEY, author_id int NOT NULL REFERENCES author, title text)",
        "INSERT INTO author SELECT n, repeat('a', 4000) FROM generate_series(1, \(records)) n",
        "INSERT INTO book SELECT n, n, repeat('b', 4000) FROM generate_series(1, \(records)) n",
        "CREATE INDEX ON book (author_id)",
      ], connections: 9, configure: configure)
  }

  private let request = HTTPRequest(
    method: .get, target: "/authors?include=books", headers: ["Accept": "application/x-ndjson"])

  @Test
  func `32 clients that take a long result at once are all answered, with fewer connections`() throws {
    let service = try Self.served().service
    let request = request
    let lines = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 32) { _ in
      let response = service.answer(request).wait()
      let count = response.status == .ok ? response.body.text.split(separator: "\n").count : 0
      lines.withLock { $0.append(count) }
    }
    #expect(lines.withLock { $0 } == Array(repeating: Self.records, count: 32))
  }

  @Test
  func `clients that stop reading don't keep others from being answered`() throws {
    let service = try Self.served().service
    let bodies = (0..<14).compactMap { _ in SlowBody(service.answer(request).wait()) }
    #expect(bodies.count == 14)
    #expect(Set(bodies.map { $0.rest().count }).count == 1)
  }

  @Test
  func `if no connection for a long result becomes free in time, the answer is 503`() throws {
    let served = try Self.served { $0.queryTime = 1 }
    // Results whose clients read slowly, but go on reading.
    let held = (0..<6).map { _ in served.service.answer(request).wait() }
    #expect(held.map(\.status.code) == Array(repeating: 200, count: 6))
    #expect(served.service.answer(request).wait().status.code == 503)
    #expect(served.text("/authors/1?fields=id") == #"{"id":1}"#, "others have connections")
    for response in held { #expect(response.body.text.utf8.count > 2_000_000) }
    #expect(served.service.answer(request).wait().body.text.utf8.count > 2_000_000)
  }
}

/// The body of a response whose client takes the first part and then nothing, until it takes the rest.
private final class SlowBody: Sendable {
  private struct Stream: @unchecked Sendable {
    // Used by one thread at a time, that of the queue.
    let body: any HTTPBodyStream
  }

  private let stream: Stream
  private let queue = DispatchQueue(label: "slow client")

  init?(_ response: HTTPResponse) {
    guard response.status == .ok, case .stream(let body, _) = response.body else { return nil }
    stream = Stream(body: body)
    body.onReady { [stream, queue] in
      queue.async {
        do { try stream.body.yield() } catch { Issue.record(error) }
      }
    }
    let hasBegun = queue.sync { () -> Bool in
      // The first part is that before the records, which NDJSON hasn't.
      while let part = try? body.next() { if !part.isEmpty { return true } }
      return false
    }
    guard hasBegun else { return nil }
  }

  /// Returns all but the first part, and closes the stream.
  func rest() -> [UInt8] {
    queue.sync {
      defer { stream.body.close() }
      var bytes: [UInt8] = []
      do {
        while let part = try stream.body.next() { bytes += part }
      } catch {
        Issue.record(error)
      }
      return bytes
    }
  }
}
