import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("Transactions")
struct TransactionTests {
  struct Failure: Error {}

  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.database("CREATE TABLE t(x)"), access: .readWrite)
  }

  var values: [SQLValue] {
    get throws { try connection.rows("SELECT x FROM t ORDER BY x").map { $0[0] } }
  }

  @Test
  func `what succeeds is committed`() throws {
    let result = try connection.writeTransaction {
      try connection.execute("INSERT INTO t VALUES (1)")
      return 7
    }
    #expect(result == 7)
    #expect(!connection.isInTransaction)
    #expect(try values == [.integer(1)])
  }

  @Test
  func `what throws is rolled back, even while a statement runs`() throws {
    try connection.execute("INSERT INTO t VALUES (1), (2)")
    let statement = try connection.prepare("SELECT x FROM t")
    #expect(throws: Failure.self) {
      try connection.writeTransaction {
        try connection.execute("DELETE FROM t WHERE x = 1")
        #expect(try statement.step())
        throw Failure()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try values == [.integer(1), .integer(2)])
  }

  @Test
  func `a savepoint takes back its own changes only, at any depth`() throws {
    try connection.writeTransaction {
      try connection.execute("INSERT INTO t VALUES (1)")
      try? connection.savepoint {
        try connection.execute("INSERT INTO t VALUES (2)")
        throw Failure()
      }
      try connection.savepoint {
        try connection.execute("INSERT INTO t VALUES (3)")
        try? connection.savepoint {
          try connection.execute("INSERT INTO t VALUES (4)")
          throw Failure()
        }
      }
    }
    #expect(try values == [.integer(1), .integer(3)])
  }

  @Test
  func `a deferred constraint that fails at the end rolls back, and leaves the connection in order`() throws {
    try connection.execute(
      "CREATE TABLE a(id PRIMARY KEY); CREATE TABLE b(aId REFERENCES a DEFERRABLE INITIALLY DEFERRED)")
    #expect {
      try connection.writeTransaction { try connection.execute("INSERT INTO b VALUES (1)") }
    } throws: {
      ($0 as? DatabaseError)?.constraint == .foreignKey
    }
    #expect(!connection.isInTransaction)
    try connection.writeTransaction {}
  }

  @Test
  func `a second writer fails with busy after the timeout`() throws {
    var configuration = ConnectionConfiguration()
    configuration.busyTimeout = 10
    let other = try Connection(path: connection.path, access: .readWrite, configuration: configuration)
    try connection.beginWrite()
    #expect { try other.beginWrite() } throws: { ($0 as? DatabaseError)?.isBusy == true }
    try connection.commit()
    try other.writeTransaction {}
  }

  @Test
  func `temporary tables that are made while reading outlive the transaction`() throws {
    try connection.readTransaction { try connection.execute("CREATE TEMP TABLE seen(x)") }
    #expect(try connection.rows("SELECT x FROM temp.seen").isEmpty)
  }
}
