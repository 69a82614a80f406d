import Foundation
import KindredHTTP
import KindredPostgreSQL
import Synchronization
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct LockTests {
  private static let tables = [
    "CREATE TABLE book (id int PRIMARY KEY)", "INSERT INTO book VALUES (1)",
    "CREATE TABLE shelf (id int PRIMARY KEY)", "INSERT INTO shelf VALUES (1)",
  ]

  /// Runs requests on threads of their own, and returns their answers in the order in which they come.
  private final class Requests: Sendable {
    private let answers = Mutex<[String]>([])
    private let count: Int

    init(_ count: Int, _ body: @escaping @Sendable () -> String) {
      self.count = count
      for _ in 0..<count {
        Thread { [self] in
          let answer = body()
          answers.withLock { $0.append(answer) }
        }.start()
      }
    }

    func first(_ number: Int) -> [String] {
      while answers.withLock({ $0.count }) < number { Thread.sleep(forTimeInterval: 0.01) }
      return answers.withLock { $0 }
    }

    var all: [String] { first(count) }
  }

  @Test
  func `a lock on a table holds requests of that table alone, and at most half of the connections`() throws {
    let served = try Served(contentsOf: Self.tables, connections: 6)
    let holder = try PostgreSQLConnection(served.target)
    _ = try holder.run([Query("BEGIN"), Query("LOCK TABLE book")])
    let requests = Requests(6) { String(served.text("/books").prefix(3)) }
    #expect(requests.first(3) == ["503", "503", "503"])
    #expect(served.text("/shelves") == #"[{"id":1}]"#)
    #expect(requests.first(3).count == 3)
    _ = try holder.run([Query("COMMIT")])
    #expect(requests.all.sorted() == ["503", "503", "503", #"[{""#, #"[{""#, #"[{""#])
    // Those that waited no longer count.
    #expect(Requests(6) { served.text("/books") }.all == Array(repeating: #"[{"id":1}]"#, count: 6))
  }

  @Test
  func `a write waits for the lock of another`() throws {
    let served = try Served(contentsOf: Self.tables, isWritable: true, connections: 6)
    let holder = try PostgreSQLConnection(served.target)
    _ = try holder.run([Query("BEGIN"), Query("UPDATE book SET id = 1")])
    let requests = Requests(1) { served.send(.patch, "/books/1", #"{"id":2}"#) }
    Thread.sleep(forTimeInterval: 0.3)
    #expect(served.send(.post, "/shelves", #"{"id":2}"#).hasPrefix("201"))
    _ = try holder.run([Query("ROLLBACK")])
    #expect(requests.all == [#"200 {"id":2}"#])
  }

  @Test
  func `a lock on a view, which keeps the schema from being read, holds no request of others`() throws {
    let served = try Served(contentsOf: Self.tables + ["CREATE VIEW open_book AS SELECT * FROM book"])
    #expect(served.text("/books") == #"[{"id":1}]"#)
    let holder = try PostgreSQLConnection(served.target)
    _ = try holder.run([Query("BEGIN"), Query("ALTER VIEW open_book RENAME TO closed_book")])
    try served.run("CREATE TABLE page (id int PRIMARY KEY)")
    let end = Date() + 3
    while Date() < end {
      let start = Date()
      #expect(served.text("/books") == #"[{"id":1}]"#)
      #expect(Date().timeIntervalSince(start) < 2)
    }
    _ = try holder.run([Query("COMMIT")])
    let patience = Date() + 20
    while served.text("/pages") != "[]", Date() < patience { Thread.sleep(forTimeInterval: 0.1) }
    #expect(served.text("/pages") == "[]")
    #expect(served.text("/closedBooks") == #"[{"id":1}]"#)
  }
}
