import KindredClock
import KindredSQLSyntax
import TestSupport
import Testing

@testable import KindredSQLite

@Suite("Functions that can be stopped")
struct FunctionTests {
  let connection: Connection

  init() throws { connection = try Connection(path: ":memory:", access: .readWriteCreate) }

  private func value(_ sql: String, _ values: [SQLValue] = []) throws -> SQLValue {
    let statement = try connection.prepare(sql)
    try statement.bind(values)
    _ = try statement.step()
    return statement.value(0)
  }

  @Test
  func `like and glob match as SQLite's operators do`() throws {
    let letters = ["a", "A", "b", "%", "_", "*", "?", "[", "]", "^", "-", "\\", "é", "日"]
    var state: UInt64 = 1
    func text() -> SQLValue {
      var text = ""
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      for _ in 0..<Int(state >> 33 & 7) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += letters[Int(state >> 33) % letters.count]
      }
      return .text(text)
    }
    let comparison = try connection.prepare(
      """
      SELECT (?2 LIKE ?1) IS kindred_like(?1, ?2) AND (?2 GLOB ?1) IS kindred_glob(?1, ?2)
        AND (?2 LIKE ?1 ESCAPE '\\') IS kindred_like(?1, ?2, '\\')
      """)
    for _ in 0..<20_000 {
      let (pattern, value) = (text(), text())
      try comparison.bind([pattern, value])
      _ = try comparison.step()
      #expect(comparison.int64(0) == 1, "\(value) and the pattern \(pattern)")
      comparison.reset()
    }
  }

  @Test(arguments: [
    ("instr('été', 't')", SQLValue.integer(2)), ("instr(x'c3a974', x'74')", .integer(3)),
    ("instr('abc', '')", .integer(1)), ("instr('abc', NULL)", .null), ("instr(12345, 34)", .integer(3)),
    ("instr('aé', CAST(x'a9' AS TEXT))", .integer(0)), ("replace('aaa', 'aa', 'b')", .text("ba")),
    ("replace('abc', '', 'x')", .text("abc")), ("replace(121, 1, 'x')", .text("x2x")),
    ("replace('abc', 'b', NULL)", .null), ("trim('  a b ')", .text("a b")),
    ("trim('éaé', 'é')", .text("a")), ("ltrim('xxa', 'x')", .text("a")), ("rtrim('axy', 'yx')", .text("a")),
    ("trim('a', '')", .text("a")), ("floor(-1.5)", .real(-2)), ("ceil(1.2)", .real(2)),
    ("floor(3)", .integer(3)),
  ])
  func `instr, replace and trim give what SQLite's functions give`(expression: String, result: SQLValue)
    throws
  {
    #expect(try value("SELECT \(expression)") == result)
  }

  @Test
  func `a deadline ends a call that would take hours`() throws {
    let a = SQLValue.text(String(repeating: "a", count: 4 << 20))
    let pattern = SQLValue.text("%" + String(repeating: "a", count: 9_000) + "b")
    connection.setDeadline(MonotonicTime.now() + 50_000_000)
    let error = #expect(throws: DatabaseError.self) {
      try value("SELECT kindred_like(?1, ?2)", [pattern, a])
    }
    #expect(error?.interruption == .timedOut)
    connection.setDeadline(nil)
    // SQLite's own function would take quadratic time.
    #expect(try value("SELECT instr(?1, substr(?1, 1, 2000000) || 'b')", [a]) == .integer(0))
  }

  @Test
  func `a deadline ends what reads a set for each character, and one long character repeatedly`() throws {
    let letters = SQLValue.text(String(repeating: "a", count: 4 << 20))
    let set = SQLValue.text("*[" + String(repeating: "c", count: 9_000) + "]z")
    connection.setDeadline(MonotonicTime.now() + 50_000_000)
    let time = processorTime {
      _ = #expect(throws: DatabaseError.self) { try value("SELECT kindred_glob(?1, ?2)", [set, letters]) }
    }
    // If the bytes of the set were not counted, the clock would be checked about a hundred times less often.
    #expect(time < 1)
  }

  @Test(arguments: ["kindred_like", "kindred_glob"])
  func `a pattern is no longer than SQLite takes one`(function: String) throws {
    let error = #expect(throws: DatabaseError.self) {
      try value("SELECT \(function)(?1, 'a')", [.text(String(repeating: "a", count: 10_001))])
    }
    #expect(error?.message == "LIKE or GLOB pattern too complex")
    #expect(
      try value("SELECT \(function)(?1, ?1)", [.text(String(repeating: "a", count: 10_000))]) == .integer(1))
  }

  @Test
  func `kindred_concat is the operator, but for the length of what it builds`() throws {
    let values = ["NULL", "''", "'ab'", "12", "1.5", "x''", "x'6162'", "1e300", "'é'"]
    for left in values {
      for right in values {
        let pair = "\(left), \(right)"
        #expect(
          try value(
            "SELECT kindred_concat(\(pair)) IS \(left) || \(right) AND typeof(kindred_concat(\(pair))) = typeof(\(left) || \(right))"
          )
            == .integer(1), "\(pair)")
      }
    }
  }

  @Test
  func `the length of texts that are built is bounded, and that of others is not`() throws {
    var configuration = ConnectionConfiguration()
    configuration.resourceLimits.builtValue = 1000
    let connection = try Connection(path: ":memory:", access: .readWriteCreate, configuration: configuration)
    func length(_ sql: String) throws -> Int64 {
      let statement = try connection.prepare(
        "SELECT length(\(sql)) FROM (SELECT hex(zeroblob(1000)) AS long)")
      _ = try statement.step()
      return statement.int64(0)
    }
    #expect(try length("long") == 2000)
    #expect(try length("replace(long, '00', '0')") == 1000)
    #expect(try length("replace(long, '1', '22')") == 2000)
    #expect(try length("kindred_concat(substr(long, 1, 500), substr(long, 1, 500))") == 1000)
    #expect(throws: DatabaseError.self) { try length("kindred_concat(long, 'x')") }
    #expect(throws: DatabaseError.self) { try length("replace(long, '0', '00')") }
  }

  @Test
  func `digests tell values apart, and the same ones not`() throws {
    let values = ["NULL", "0", "1", "1.0", "''", "'1'", "x''", "x'31'", "'ab'", "'ba'", "1, NULL", "NULL, 1"]
    let digests = try Set(values.map { try value("SELECT kindred_digest(\($0))") })
    #expect(digests.count == values.count)
    #expect(try value("SELECT kindred_digest('a', 1) = kindred_digest('a', 1)") == .integer(1))
  }
}
