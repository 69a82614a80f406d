import Foundation
import KindredClock
import KindredPostgreSQL
import Synchronization
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct ConnectionTests {
  @Test
  func `a pipeline gives the rows of each statement`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database("CREATE TABLE book (id int, title text)"))
    let results = try connection.run([
      Query("BEGIN"), Query("INSERT INTO book VALUES (1, $1), (2, NULL)", [Array("Moby-Dick".utf8)]),
      Query("SELECT id, title FROM book ORDER BY id"), Query("COMMIT"),
    ])
    #expect(results.count == 4)
    #expect(results[1].affectedRows == 2)
    #expect(results[2].text(0, 1) == "Moby-Dick")
    #expect(results[2].isNull(1, 1))
    #expect(results[2].name(of: 1) == "title")
    #expect(results[2].type(of: 0) == 23)
  }

  @Test
  func `a failure ends the pipeline, and the connection goes on`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([
        Query("SELECT 1"), Query("SELECT 1 / $1::int", [Array("0".utf8)]), Query("SELECT 2"),
      ])
    }
    #expect(error?.state == "22012")
    #expect(error?.sql == "SELECT 1 / $1::int")
    #expect(throws: PostgreSQLError.self) { try connection.rows("SELEC") }
    #expect(throws: PostgreSQLError.self) { try connection.rows("SELEC") }
    #expect(try connection.rows("SELECT 3") == [["3"]])
  }

  @Test
  func `an error of connecting is said once, and without its code`() throws {
    let target = try #require(ConnectionTarget("postgres:///absent?host=/nowhere,/nowhere&user=kindred"))
    let error = #expect(throws: PostgreSQLError.self) { _ = try PostgreSQLConnection(target) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("connection to server"), "\(text)")
    #expect(text.ranges(of: "failed").count == 1, "\(text)")
  }

  @Test
  func `statements continue a transaction that stays open`() throws {
    let target = try Cluster.database("CREATE TABLE book (id int)")
    let connection = try PostgreSQLConnection(target)
    _ = try connection.rows("SET default_transaction_isolation = 'repeatable read'")
    let count = Query("SELECT count(*) FROM book")
    #expect(try connection.run([count], staysOpen: true)[0].integer(0, 0) == 0)
    _ = try PostgreSQLConnection(target).rows("INSERT INTO book VALUES (1)")
    #expect(try connection.run([count, count], staysOpen: true)[1].integer(0, 0) == 0)
    // The transaction becomes a block with the same snapshot.
    let block = try connection.run([Query("BEGIN", isReusable: false), count])
    #expect(block[1].integer(0, 0) == 0)
    #expect(try connection.rows("SELECT count(*) FROM book") == [["0"]])
    _ = try connection.rows("COMMIT")
    #expect(try connection.run([count], staysOpen: true)[0].integer(0, 0) == 1)
    _ = try PostgreSQLConnection(target).rows("INSERT INTO book VALUES (2)")
    #expect(try connection.rows("SELECT count(*) FROM book") == [["1"]])
    #expect(try connection.rows("SELECT count(*) FROM book") == [["2"]])
  }

  @Test
  func `a failure ends a transaction that stays open, and the connection goes on`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database("CREATE TABLE book (id int)"))
    _ = try connection.run([Query("INSERT INTO book VALUES (1)")], staysOpen: true)
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([Query("SELECT 1"), Query("SELECT 1 / 0"), Query("SELECT 2")], staysOpen: true)
    }
    #expect(error?.state == "22012")
    #expect(error?.position == 1)
    #expect(try connection.run([Query("SELECT 3")], staysOpen: true)[0].integer(0, 0) == 3)
    #expect(try connection.rows("SELECT count(*) FROM book") == [["0"]])
  }

  @Test
  func `constraints are named`() throws {
    let connection = try PostgreSQLConnection(
      try Cluster.database("CREATE TABLE book (id int PRIMARY KEY, title text NOT NULL)"))
    let missing = #expect(throws: PostgreSQLError.self) {
      try connection.rows("INSERT INTO book VALUES (1, NULL)")
    }
    #expect(missing?.state == "23502")
    #expect(missing?.column == "title")
    _ = try connection.rows("INSERT INTO book VALUES (1, 'a')")
    let twice = #expect(throws: PostgreSQLError.self) {
      try connection.rows("INSERT INTO book VALUES (1, 'b')")
    }
    #expect(twice?.constraint == "book_pkey")
  }

  @Test
  func `a pipeline of more than the sockets hold does not block`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    let text = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let results = try connection.run((0..<8).map { _ in Query("SELECT $1::text", [text]) })
    #expect(results.allSatisfy { $0.bytes(0, 0).count == text.count })
  }

  @Test
  func `more statements than are kept prepared`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    for number in 0..<600 { #expect(try connection.rows("SELECT \(number)") == [["\(number)"]]) }
    #expect(try connection.rows("SELECT 0") == [["0"]])
    let count = try #require(try connection.rows("SELECT count(*) FROM pg_prepared_statements")[0][0])
    #expect(Int(count) == 256)
  }

  @Test
  func `no prepared statement is left behind by failures`() throws {
    let pool = PostgreSQLPool(
      try Cluster.database("CREATE TABLE book (id int)"), size: 1, checkoutTimeout: 60_000)
    let one: [[UInt8]?] = [Array("0".utf8)]
    for number in 0..<300 {
      let connection = try pool.take()
      // From the 256th on, each evicts another in a pipeline that has failed by then.
      #expect(throws: PostgreSQLError.self) {
        try connection.run([
          Query("BEGIN", isReusable: false), Query("SELECT 1 / $1::int", one), Query("SELECT \(number)"),
        ])
      }
      pool.giveBack(connection)
      let again = try pool.take()
      _ = try again.run([Query("SELECT \(number)")])
      pool.giveBack(again)
    }
    let connection = try pool.take()
    defer { pool.giveBack(connection) }
    let old = try connection.run([Query("SELECT * FROM book")])
    #expect(old[0].columnCount == 1)
    _ = try connection.run([Query("ALTER TABLE book ADD title text", isReusable: false)])
    #expect(throws: PostgreSQLError.self) { try connection.run([Query("SELECT * FROM book")]) }
    let count = try #require(try connection.rows("SELECT count(*) FROM pg_prepared_statements")[0][0])
    #expect((1...257).contains(Int(count) ?? 0), "\(count) statements")
  }

  @Test
  func `a statement that is forgotten is sent whole from then on`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    #expect(try connection.rows("SELECT 7") == [["7"]])
    _ = try connection.run([Query("DEALLOCATE ALL", isReusable: false)])
    let error = #expect(throws: PostgreSQLError.self) { try connection.rows("SELECT 7") }
    #expect(error?.isTransient == true)
    #expect(try connection.rows("SELECT 7") == [["7"]])
    #expect(try connection.rows("SELECT count(*) FROM pg_prepared_statements") == [["0"]])
  }

  @Test
  func `U+0000 is refused before it would cut a text`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    let error = #expect(throws: PostgreSQLError.self) { try connection.rows("SELECT $1::text", "a\0b") }
    #expect(error?.state == "22P05")
    #expect(error?.parameter == 1)
    #expect(try connection.rows("SELECT 1") == [["1"]])
  }

  @Test
  func `a statement is cancelled from another thread`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    let handle = connection.cancelHandle
    let isOver = Atomic(false)
    // A cancellation that comes before the statement does nothing.
    let cancelling = Thread {
      while !isOver.load(ordering: .relaxed) {
        Thread.sleep(forTimeInterval: 0.1)
        handle.cancel()
      }
    }
    cancelling.start()
    let error = #expect(throws: PostgreSQLError.self) { try connection.rows("SELECT pg_sleep(120)") }
    isOver.store(true, ordering: .relaxed)
    #expect(error?.state == .cancelled)
    #expect(throws: PostgreSQLError.self) { try connection.rows("SELECT 1") }
  }

  @Test
  func `a server that says nothing is given up at the deadline`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    connection.deadline = MonotonicTime.now() + 100_000_000
    let error = #expect(throws: PostgreSQLError.self) { try connection.rows("SELECT pg_sleep(20)") }
    #expect(error?.endsConnection == true)
    #expect(connection.isBroken)
  }

  @Test
  func `values are written in one way, whatever the server's settings`() throws {
    let connection = try PostgreSQLConnection(try Cluster.database())
    #expect(
      try connection.rows(
        "SELECT '\\x00ff'::bytea, 0.1::float8 + 0.2, timestamptz '2024-01-02 03:04:05+02', interval '1 day'"
      ) == [["\\x00ff", "0.30000000000000004", "2024-01-02 01:04:05+00", "1 day"]])
  }

  @Test
  func `a password is not said`() throws {
    let target = try #require(ConnectionTarget("postgres://who:s3cret@127.0.0.1:1/db?sslpassword=s3cret&x=1"))
    #expect(target.description == "postgres://who@127.0.0.1:1/db?sslpassword=…&x=1")
    let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLConnection(target) }
    #expect(error.map { !"\($0)".contains("s3cret") } == true)
    #expect(ConnectionTarget("library.db") == nil)
    for url in ["h/db?user=a@b&password=s3cret", "u:s3cret@h/db?options=a@b", "h/db?password=s3@cret"] {
      let target = try #require(ConnectionTarget("postgres://" + url))
      #expect(!target.description.contains("cret"), "\(target)")
    }
  }
}
