import Dispatch
import Foundation
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

/// Which queries run again after a commit.
@Suite("Live results: what a commit runs again")
struct LivePrecisionTests {
  private func listen(_ target: String, on database: TestDatabase) throws -> any HTTPBodyStream {
    let response = database.service.respond(
      to: HTTPRequest(
        method: .get, target: TestDatabase.encoded(target), headers: ["Accept": "text/event-stream"]))
    guard case .stream(let stream, nil) = response.body else { throw NoStream() }
    _ = try stream.next()
    return stream
  }

  private struct NoStream: Error {}

  /// Waits until all results are those of the latest commit, and returns how many queries have run since.
  private func queries(of database: TestDatabase, since before: Int = 0) throws -> Int {
    let feed = try #require(database.service.changeFeed)
    while feed.behind > 0 { Thread.sleep(forTimeInterval: 0.01) }
    return feed.counts.queries - before
  }

  private func queriesRun(
    by change: () throws -> Void, listening targets: [String], on database: TestDatabase
  ) throws -> Int {
    let streams = try targets.map { try listen($0, on: database) }
    defer { for stream in streams { stream.close() } }
    let settled = try queries(of: database)
    try change()
    return try queries(of: database, since: settled)
  }

  private static let targets = [
    "/tags", "/authors/1?include=books.reviews", "/books?annotate=reviewCount&limit=3", "/countries",
  ]

  @Test(
    arguments: [
      (HTTPMethod.post, "/tags", #"{"name":"new"}"#, 1), (.patch, "/reviews/1", #"{"rating":1}"#, 2),
      (.patch, "/books/1", #"{"title":"X"}"#, 2), (.patch, "/authors/1", #"{"name":"X"}"#, 1),
    ] as [(HTTPMethod, String, String, Int)])
  func `a write of this server runs the requests alone that read what it changed`(
    method: HTTPMethod, target: String, content: String, count: Int
  ) throws {
    let database = try Library.writable()
    let run = try queriesRun(
      by: { try #require(try database.send(method, target, content).status < 300) }, listening: Self.targets,
      on: database)
    #expect(run == count)
  }

  @Test
  func `a commit of another process runs all of them`() throws {
    let database = try Library.writable()
    let run = try queriesRun(
      by: {
        try Connection(path: database.path, access: .readWrite).execute(
          "UPDATE tag SET name = 'x' WHERE id = 1")
      }, listening: Self.targets, on: database)
    #expect(run == Self.targets.count)
  }

  @Test
  func `what a rule reads counts, as do triggers`() throws {
    let database = try TenantFixture.database(
      "CREATE TRIGGER t AFTER UPDATE ON employee BEGIN UPDATE project SET name = new.name WHERE id = 2; END;")
    func stream(_ target: String) throws -> any HTTPBodyStream {
      var headers = TenantFixture.member
      headers.append("Accept", "text/event-stream")
      let response = database.service.respond(to: HTTPRequest(method: .get, target: target, headers: headers))
      guard case .stream(let stream, nil) = response.body else { throw NoStream() }
      return stream
    }
    let tasks = try stream("/tasks")
    let users = try stream("/users")
    defer {
      tasks.close()
      users.close()
    }
    let settled = try queries(of: database)
    // Tasks are in sight by their project, which the trigger changes.
    let changed = try database.send(
      .patch, "/employees/2", #"{"name":"Boo"}"#, headers: TenantFixture.member)
    #expect(changed.status == 200)
    #expect(try queries(of: database, since: settled) == 1)
  }
}
