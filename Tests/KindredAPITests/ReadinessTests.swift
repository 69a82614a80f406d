import KindredSQLite
import KindredSQLiteBackend
import TestSupport
import Testing

@Suite("Whether a database responds")
struct ReadinessTests {
  @Test
  func `it doesn't while another process keeps it locked`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("locked.db")
    let other = try Connection(path: path, access: .readWriteCreate)
    try other.execute("PRAGMA journal_mode = DELETE")
    try other.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    let backend = try SQLiteBackend(ConnectionPool(path: path, access: .readOnly, readers: 1))
    try other.execute("BEGIN EXCLUSIVE")
    #expect(throws: DatabaseError.self) { try backend.probe() }
    try other.execute("ROLLBACK")
    try backend.probe()
  }
}
