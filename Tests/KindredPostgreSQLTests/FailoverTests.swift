import Foundation
import KindredBackend
import KindredHTTP
import KindredPostgreSQLBackend
import Testing

@testable import KindredPostgreSQL

@Suite(.enabled(if: Cluster.isAvailable))
struct FailoverTests {
  @Test
  func `the SQLSTATE of a refused connection is known, and its message is libpq's`() {
    let verbose =
      "connection to server at \"h\", port 1 failed: FATAL:  53300: sorry, too many clients already; LOCATION:  InitProcess, proc.c:378"
    let (message, state) = ConnectionRace.withoutState(verbose)
    #expect(
      message == "connection to server at \"h\", port 1 failed: FATAL:  sorry, too many clients already")
    #expect(state == .tooManyConnections)
    #expect(
      ConnectionRace.withoutState("Connection refused; Is it running?") == (
        "Connection refused; Is it running?", nil
      ))
  }

  @Test
  func `a host that doesn't exist keeps no other from being reached`() throws {
    let cluster = try Cluster.shared.get()
    var parts = try #require(URLComponents(string: cluster.url))
    guard let socket = parts.queryItems?.first(where: { $0.name == "host" })?.value else { return }
    parts.queryItems =
      (parts.queryItems ?? []).filter { $0.name != "host" } + [
        URLQueryItem(name: "host", value: "/nowhere,\(socket)")
      ]
    let url = try #require(parts.string)
    let target = try #require(ConnectionTarget(url))
    #expect(target.settings.hosts.map(\.host) == ["/nowhere", socket])
    #expect(try PostgreSQLConnection(target).rows("SELECT 1") == [["1"]])
  }

  @Test
  func `several hosts have short time limits, unless the URL sets others`() throws {
    let several = try #require(ConnectionTarget("postgres://a,b/c")).settings
    #expect(several.connectTimeout == 2_000_000_000)
    let set = try #require(ConnectionTarget("postgres://a:1,b:2/c?connect_timeout=7")).settings
    #expect(set.connectTimeout == 7_000_000_000 && set.hosts.map(\.port) == ["1", "2"])
    let single = try #require(ConnectionTarget("postgres://a/c")).settings
    #expect(
      single.connectTimeout == 5_000_000_000 && single.defaults.allSatisfy { $0.name.hasPrefix("keepalives") }
    )
  }

  @Test
  func `a server of an earlier timeline is no longer current once a later one has been seen`() {
    let epoch = ServerEpoch()
    func server(_ timeline: UInt32, _ system: String = "7", isStandby: Bool = false) -> ServerIdentity {
      ServerIdentity(system: system, timeline: timeline, isStandby: isStandby)
    }
    #expect(epoch.note(server(1)) && epoch.note(server(2)))
    #expect(!epoch.isCurrent(server(1)) && !epoch.note(server(1)))
    #expect(epoch.isCurrent(server(2)) && epoch.note(server(2, isStandby: true)))
    // A restored or upgraded system begins anew.
    #expect(epoch.note(server(1, "8")) && !epoch.isCurrent(server(2)))
  }

  @Test(.enabled(if: Cluster.isPrivate))
  func `a COMMIT with a warning is of unknown outcome`() throws {
    let target = try Cluster.database("CREATE TABLE book (id int)")
    let connection = try PostgreSQLConnection(target)
    // There is no transaction, of which PostgreSQL warns.
    let results = try connection.commit([PostgreSQLConnection.commit], whenOverdue: {})
    #expect(results[0].warning != nil)
    #expect(try connection.run([Query("SELECT 1")])[0].warning == nil)
    #expect(PostgreSQLError.unknownOutcome("x").kind == .unknownOutcome(isOpen: false))
  }

  @Test
  func `a COMMIT is not sent for a client that has left, and not cancelled by one that leaves later`() throws
  {
    let connection = try PostgreSQLConnection(try Cluster.database("CREATE TABLE book (id int)"))
    let handle = connection.cancelHandle
    _ = try connection.run([Query("BEGIN"), Query("INSERT INTO book VALUES (1)")])
    _ = try connection.commit([PostgreSQLConnection.commit], whenOverdue: {})
    handle.cancel()
    #expect(try connection.rows("SELECT count(*) FROM book") == [["1"]])
    connection.cancelHandle.cancel()
    let error = #expect(throws: PostgreSQLError.self) {
      _ = try connection.commit([PostgreSQLConnection.commit], whenOverdue: {})
    }
    #expect(error?.state == .cancelled)
  }

  @Test
  func `an answer is kept once by the primary key, also where it has expired`() throws {
    let served = try Served(
      contentsOf: ["CREATE TABLE book (id int PRIMARY KEY, title text)"], isWritable: true)
    let key: HTTPHeaders = ["Idempotency-Key": "\"k\""]
    let first = served.send(.post, "/books", #"{"id":1,"title":"a"}"#, headers: key)
    #expect(first.hasPrefix("201"))
    #expect(served.send(.post, "/books", #"{"id":1,"title":"a"}"#, headers: key) == first)
    try served.run("UPDATE kindred_idempotency SET time = time - 100000")
    #expect(served.send(.post, "/books", #"{"id":1,"title":"a"}"#, headers: key).hasPrefix("409"))
    #expect(served.send(.post, "/books", #"{"id":2,"title":"b"}"#, headers: key).hasPrefix("201"))
    #expect(served.send(.post, "/books", #"{"id":2,"title":"b"}"#, headers: key).hasPrefix("201"))
    #expect(served.text("/books?fields=n:count()") == #"[{"n":2}]"#)
  }

  @Test
  func `a table with the name of Kindred's is named, and nothing is written`() throws {
    let served = try Served(
      contentsOf: [
        "CREATE TABLE book (id int PRIMARY KEY)", "CREATE TABLE kindred_idempotency (id int PRIMARY KEY)",
      ], isWritable: true)
    let answer = served.send(.post, "/books", #"{"id":1}"#, headers: ["Idempotency-Key": "\"k\""])
    #expect(answer.hasPrefix("400") && answer.contains("kindred_idempotency"), "\(answer)")
    #expect(served.text("/books") == "[]")
  }
}
