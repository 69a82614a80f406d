import KindredSQLite
import TestSupport
import Testing

@Suite("What a statement names and this process lacks")
struct MissingPartsTests {
  private let directory: TemporaryDirectory
  private let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.database("CREATE TABLE t(x)"), access: .readWrite)
  }

  @Test
  func `all missing functions are found, and none is there afterwards`() throws {
    #expect(
      connection.partsMissing(for: "SELECT f(x), g(x), abs(x) FROM t") == [.function("f"), .function("g")])
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT f(1)") }
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT g(1)") }
  }

  @Test
  func `while a statement runs, only the first is found, as none could be removed again`() throws {
    let running = try connection.prepare("SELECT 1 UNION ALL SELECT 2")
    #expect(try running.step())
    #expect(connection.partsMissing(for: "SELECT f(1), g(1)") == [.function("f")])
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT f(1)") }
    while try running.step() {}
    #expect(connection.partsMissing(for: "SELECT f(1), g(1)") == [.function("f"), .function("g")])
  }
}
