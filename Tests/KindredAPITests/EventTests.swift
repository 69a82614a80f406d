import Dispatch
import Foundation
import KindredCryptography
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Live results (text/event-stream)")
struct EventTests {
  /// An in-process client that listens.
  private final class Client {
    let stream: any HTTPBodyStream
    private let signal = DispatchSemaphore(value: 0)

    init(_ stream: any HTTPBodyStream) {
      self.stream = stream
      stream.onReady { [signal] in signal.signal() }
    }

    deinit { stream.close() }

    /// Returns the next part that isn't empty, or nil at the end of the stream.
    func part() throws -> String? {
      while true {
        guard let part = try stream.next() else { return nil }
        if !part.isEmpty { return String(decoding: part, as: UTF8.self) }
        try #require(signal.wait(timeout: .now() + 120) == .success, "nothing came")
      }
    }

    /// Returns the data and ID of the next event.
    func event() throws -> (id: String, data: String) {
      while let part = try part() {
        let lines = part.split(separator: "\n")
        guard lines.count == 2 else { continue }
        return (String(lines[0].dropFirst(4)), String(lines[1].dropFirst(6)))
      }
      throw Ended()
    }

    struct Ended: Error {}
  }

  private func answer(
    _ target: String, on database: TestDatabase, method: HTTPMethod = .get, headers: HTTPHeaders = [:]
  ) -> HTTPResponse {
    var headers = headers
    if headers["Accept"] == nil { headers.append("Accept", "text/event-stream") }
    return database.service.respond(
      to: HTTPRequest(method: method, target: TestDatabase.encoded(target), headers: headers))
  }

  private func listen(
    _ target: String, on database: TestDatabase, lastEventID: String? = nil
  ) throws -> Client {
    let response = answer(
      target, on: database, headers: lastEventID.map { ["Last-Event-ID": $0] } ?? [:])
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "text/event-stream")
    guard case .stream(let stream, nil) = response.body else { throw Client.Ended() }
    return Client(stream)
  }

  /// Commits as another process would, without notifying the service.
  private func execute(_ sql: String, on database: TestDatabase) throws {
    try Connection(path: database.path, access: .readWrite).execute(sql)
  }

  @Test
  func `a client that prefers minimal events gets no content`() throws {
    let database = try Library.database()
    let response = answer("/tags", on: database, headers: ["Prefer": "return=minimal"])
    #expect(response.headers["Preference-Applied"] == "return=minimal")
    guard case .stream(let stream, nil) = response.body else { throw Client.Ended() }
    let client = Client(stream)
    let whole = try listen("/tags", on: database)
    let first = try whole.event()
    #expect(try client.part() == "id: \(first.id)\ndata: \n\n")
    try execute("UPDATE tag SET name = 'x' WHERE id = 1", on: database)
    #expect(try client.part() == "id: \(try whole.event().id)\ndata: \n\n")
  }

  @Test
  func `events of rows have the whole collection as arrays, apart from those of others`() throws {
    let database = try Library.database()
    let other = try listen("/tags?fields=id,name", on: database)
    let type = "text/event-stream;profile=rows"
    let response = answer("/tags?fields=id,name", on: database, headers: ["Accept": type])
    #expect(response.headers["Content-Type"] == type)
    guard case .stream(let stream, nil) = response.body else { throw Client.Ended() }
    let client = Client(stream)
    #expect(try client.event().data == #"[[1,"sea"],[2,"work"],[3,"unused"]]"#)
    #expect(try other.event().data.hasPrefix(#"[{"id":1"#))
    try execute("UPDATE tag SET name = x'CAFE' WHERE id = 1", on: database)
    #expect(try client.event().data == #"[[1,{"b":"yv4="}],[2,"work"],[3,"unused"]]"#)
    #expect(try other.event().data.hasPrefix(#"[{"id":1,"name":"yv4="}"#))
  }

  @Test
  func `the result at once, and again after a commit that changes it`() throws {
    let database = try Library.database()
    let client = try listen("/tags?fields=name&limit=2", on: database)
    #expect(try client.event().data == #"[{"name":"sea"},{"name":"work"}]"#)
    try execute("UPDATE tag SET name = 'ocean' WHERE id = 1", on: database)
    #expect(try client.event().data == #"[{"name":"ocean"},{"name":"work"}]"#)
  }

  @Test
  func `commits that change nothing that shows are no events, and the same result has the same id`() throws {
    let database = try Library.database()
    let client = try listen(
      "/books?filter=kind='poem'&fields=title&include=author&author.fields=name", on: database)
    let first = try client.event()
    try execute("UPDATE book SET title = 'X' WHERE kind = 'novel'", on: database)
    try execute("UPDATE author SET deathYear = 0", on: database)
    try execute("UPDATE author SET name = 'M' WHERE id = 1", on: database)
    let second = try client.event()
    #expect(second.data == #"[{"title":"Timoleon","author":{"name":"M"}},{"title":"Beowulf","author":null}]"#)
    try execute("UPDATE author SET name = 'Melville' WHERE id = 1", on: database)
    #expect(try client.event() == first)
    #expect(first.id != second.id)
  }

  @Test
  func `a client that resumes gets nothing until the result differs`() throws {
    let database = try Library.database()
    let id = try listen("/tags/1", on: database).event().id
    let known = try listen("/tags/1", on: database, lastEventID: id)
    #expect(try known.part() == ":\n\n")
    let behind = try listen("/tags/1", on: database, lastEventID: "another")
    #expect(try behind.event().id == id)
    try execute("UPDATE tag SET name = 'ocean' WHERE id = 1", on: database)
    #expect(try known.event().data == #"{"id":1,"name":"ocean"}"#)
    #expect(try behind.event().data == #"{"id":1,"name":"ocean"}"#)
  }

  @Test
  func `a result that is gone reaches no listener, while others still take the end of their streams`() throws
  {
    let database = try Library.database()
    let slow = try listen("/words/4", on: database)
    _ = try slow.event()
    let feed = try #require(database.service.changeFeed)
    try execute("DELETE FROM word WHERE id = 4", on: database)
    while feed.behind > 0 { Thread.sleep(forTimeInterval: 0.01) }
    for _ in 0..<100 { #expect(answer("/words/4", on: database).status == .notFound) }
    #expect(feed.counts.listeners == 1)
    #expect(try slow.part() == nil)
    slow.stream.close()
    #expect(feed.counts.listeners == 0)
  }

  @Test
  func `a listener with an older result than others gets the latest one`() throws {
    let database = try Library.database()
    let feed = try #require(database.service.changeFeed)
    let key = LiveQuery.Key(request: RequestKey(path: "/any", URLQuery(nil), .events), rights: [])
    let events = ["1", "2"].map { LiveEvent(Array($0.utf8), memory: feed.memory) }
    func listen(_ event: LiveEvent, lastEventID: String? = nil) throws -> Client {
      let stream = feed.listen(
        to: key, LiveResult(event: event, tables: nil), version: 1, duration: 0, lastEventID: lastEventID
      ) { _ in .result(LiveResult(event: LiveEvent(Array("2".utf8), memory: feed.memory), tables: nil)) }
      return Client(try #require(stream))
    }
    let first = try listen(events[1])
    #expect(try first.event().data == "2")
    let straggler = try listen(events[0], lastEventID: events[0].id)
    #expect(try straggler.event().data == "2")
  }

  @Test
  func `a slow client with an unchanged result is sent nothing, and no client an older one`() throws {
    let memory = LiveMemory()
    let (first, second) = (LiveEvent([0x31], memory: memory), LiveEvent([0x32], memory: memory))
    let listener = LiveListener(first, id: first.id, after: 0, LiveCredentials()) { _ in }
    #expect(listener.next()?.isEmpty == false)
    #expect(!listener.take(second, of: 0), "it began before")
    #expect(listener.take(second, of: 2))
    #expect(!listener.take(first, of: 1), "it is older, however late it comes")
    #expect(!listener.take(second, of: 3), "it waits to be sent already")
    #expect(!listener.take(first, of: 4))
    #expect(listener.next()?.isEmpty == true)
    for credentials in [LiveCredentials(expiry: 1), LiveCredentials { true }] {
      let lapsed = LiveListener(first, id: first.id, after: 0, credentials) { _ in }
      #expect(lapsed.next() == nil, "its client may no longer read it")
    }
  }

  @Test
  func `a commit costs one query for all listeners of a request`() throws {
    let database = try Library.database()
    let clients = try (0..<50).map { try listen("/tags?fields=id&filter=id>\($0 % 5)", on: database) }
    for client in clients { _ = try client.event() }
    let feed = try #require(database.service.changeFeed)
    while feed.behind > 0 { Thread.sleep(forTimeInterval: 0.01) }
    let before = feed.counts
    #expect(before.listeners == 50)
    try execute("INSERT INTO tag VALUES (9, 'new')", on: database)
    for client in clients { #expect(try client.event().data.contains("9")) }
    // A client may have its event before it is counted.
    for _ in 0..<6000 where feed.counts.events - before.events < 50 { Thread.sleep(forTimeInterval: 0.01) }
    #expect(feed.counts.queries - before.queries == 5)
    #expect(feed.counts.events - before.events == 50)
  }

  @Test
  func `a client that reads slowly gets the latest result, and what came between is dropped`() throws {
    let database = try Library.database()
    let slow = try listen("/tags/1", on: database)
    let fast = try listen("/tags/1", on: database)
    _ = try (slow.event(), fast.event())
    for number in 1...5 {
      try execute("UPDATE tag SET name = '\(number)' WHERE id = 1", on: database)
      #expect(try fast.event().data.contains("\"\(number)\""))
    }
    let feed = try #require(database.service.changeFeed)
    while feed.behind > 0 { Thread.sleep(forTimeInterval: 0.01) }
    #expect(try slow.event().data == #"{"id":1,"name":"5"}"#)
  }

  @Test
  func `slow clients are cut off where their events take too much memory`() throws {
    var options = KindredService.Options()
    options.live?.maximumMemory = 1000
    let database = try TestDatabase(Library.schema + Library.records, options: options)
    let slow = try listen("/tags/1", on: database)
    #expect(try slow.part()?.contains("sea") == true)  // and the rest of it is never taken
    let fast = try listen("/tags?filter=id=1", on: database)
    _ = try fast.event()
    try slow.stream.yield()
    for letter in ["a", "b", "c"] {
      try execute(
        "UPDATE tag SET name = '\(String(repeating: letter, count: 1000))' WHERE id = 1", on: database)
      _ = try fast.event()
      _ = try fast.stream.next()
    }
    #expect(throws: (any Error).self) {
      for _ in 0..<2400 {
        try slow.stream.yield()
        DispatchSemaphore(value: 0).waitBriefly()
      }
    }
  }

  @Test
  func `the memory of slow clients is bounded before the first commit, too`() throws {
    var options = KindredService.Options()
    options.live?.maximumMemory = 5000
    let database = try TestDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO t VALUES (1, printf('%.*c', 2000, 'x'));",
      options: options)
    let clients = try (0..<5).map { number in
      let client = try listen("/ts?filter=id<>\(number + 10)", on: database)
      #expect(try client.part()?.isEmpty == false)  // and the rest is never taken
      return client
    }
    for client in clients.prefix(3) { #expect(throws: (any Error).self) { try client.stream.yield() } }
    for client in clients.suffix(2) { try client.stream.yield() }
    try execute("UPDATE t SET x = printf('%.*c', 6000, 'y')", on: database)
    #expect(answer("/ts", on: database).status == .serviceUnavailable, "it alone doesn't fit")
  }

  @Test
  func `the stream ends when the key of its token is withdrawn`() throws {
    let path = NSTemporaryDirectory() + "kindred-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    func key(_ id: String) -> String {
      #"{"kty":"oct","kid":"\#(id)","k":"\#(Base64.encodeForURL(Array(AccessFixture.secret.utf8)))"}"#
    }
    func write(_ keys: String...) throws {
      try #"{"keys":[\#(keys.joined(separator: ","))]}"#.write(
        toFile: path, atomically: true, encoding: .utf8)
    }
    try write(key("old"))
    var options = KindredService.Options()
    var tokens = AccessConfiguration.Tokens(algorithms: [.hs256])
    tokens.keys = .file(path)
    options.access = AccessConfiguration()
    options.access?.tokens = tokens
    let database = try TestDatabase(Library.schema + Library.records, options: options)
    let response = answer("/tags/1", on: database, headers: AccessFixture.bearer(#"{"sub":1}"#))
    guard case .stream(let stream, nil) = response.body else { throw Client.Ended() }
    let client = Client(stream)
    _ = try client.event()
    try write(#"{"kty":"oct","kid":"new","k":"\#(Base64.encodeForURL([UInt8](repeating: 1, count: 32)))"}"#)
    while let part = try client.part() { #expect(part.hasPrefix(":"), "no more events") }
  }

  @Test
  func `line breaks in a column of JSON don't break the event`() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, data JSON); INSERT INTO t VALUES (1, '{' || char(13,10) || '\"a\":1}');"
    )
    let data = try listen("/ts/1", on: database).event().data
    #expect(data.filter { $0 != " " } == #"{"id":1,"data":{"a":1}}"#)
  }

  @Test
  func `the stream ends where its record, or its resource, is gone`() throws {
    let database = try Library.database()
    let record = try listen("/tags/3", on: database)
    let resource = try listen("/paintings", on: database)
    _ = try (record.event(), resource.event())
    try execute("DELETE FROM tag WHERE id = 3", on: database)
    while let part = try record.part() { #expect(part.hasPrefix(":")) }
    try execute("DROP TABLE painting", on: database)
    while let part = try resource.part() { #expect(part.hasPrefix(":")) }
  }

  @Test
  func `a comment is sent where there has been nothing else for some time`() throws {
    var options = KindredService.Options()
    options.live?.heartbeat = 0.1
    let database = try TestDatabase(Library.schema + Library.records, options: options)
    let client = try listen("/tags", on: database)
    _ = try client.event()
    #expect(try client.part() == ":\n\n")
  }

  @Test
  func `what is wrong with a request is a problem, and HEAD has no stream`() throws {
    let database = try Library.database()
    for (target, status) in [
      ("/tags?filter=nme=1", 400), ("/tags/99", 404), ("/nothing", 404), ("/tags/1/name", 406),
    ] {
      let response = answer(target, on: database)
      #expect(response.status.code == status)
      #expect(response.headers["Content-Type"] == "application/problem+json")
    }
    guard case .none = answer("/tags", on: database, method: .head).body else {
      Issue.record("HEAD has content")
      return
    }
    #expect(database.service.changeFeed?.counts.listeners == 0)
  }

  @Test
  func `more listeners than may be are 503, and those that leave make room`() throws {
    var options = KindredService.Options()
    options.live?.maximumListeners = 2
    let database = try TestDatabase(Library.schema + Library.records, options: options)
    do {
      let clients = try [listen("/tags", on: database), listen("/books", on: database)]
      let refused = answer("/tags", on: database)
      #expect(refused.status == .serviceUnavailable)
      #expect(refused.headers["Retry-After"] != nil)
      withExtendedLifetime(clients) {}
    }
    _ = try listen("/tags", on: database).event()
  }

  @Test
  func `where live results are off, events are not acceptable`() throws {
    var options = KindredService.Options()
    options.live = nil
    let database = try TestDatabase(Library.schema + Library.records, options: options)
    #expect(answer("/tags", on: database).status == .notAcceptable)
  }

  @Test
  func `the end of the service ends the streams`() throws {
    let database = try Library.database()
    let client = try listen("/tags", on: database)
    _ = try client.event()
    database.service.stop()
    #expect(try client.part() == nil)
  }
}

extension DispatchSemaphore {
  fileprivate func waitBriefly() { _ = wait(timeout: .now() + .milliseconds(50)) }
}
