import Foundation
import Kindred
import Testing

@Suite("The connections of a program")
struct ProgramConnectionTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID().uuidString)")

  private func withFolder(_ body: (URL) throws -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test
  func `VACUUM, VACUUM INTO and ATTACH work: the limits of a server are not those of a program`() throws {
    try withFolder { folder in
      let queue = try DatabaseQueue(path: folder.appending(path: "a.sqlite").path)
      let copy = folder.appending(path: "copy.sqlite").path
      try queue.inDatabase { db throws in
        try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        try db.execute(sql: "VACUUM")
        try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
        try db.execute(sql: "ATTACH ? AS other", arguments: [copy])
        #expect(try Int.fetchOne(db, sql: "SELECT x FROM other.t") == 1)
      }
      let pool = try DatabasePool(path: copy)
      try pool.writeWithoutTransaction { db in try db.execute(sql: "VACUUM") }
    }
  }

  @Test
  func `values of more than 64 MiB, and statements of more than 1 MiB, are SQLite's to refuse`() throws {
    let queue = DatabaseQueue()
    try queue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT length(zeroblob(80 << 20))") == 80 << 20)
      let long = String(repeating: "x", count: 2 << 20)
      #expect(try Int.fetchOne(db, sql: "SELECT length('\(long)')") == 2 << 20)
    }
  }

  @Test
  func `a pool of a database in memory is an error: each of its connections would have another database`() {
    #expect(throws: DatabaseError.self) { try DatabasePool(path: ":memory:") }
    #expect(throws: DatabaseError.self) { try DatabasePool(path: "") }
  }

  private struct Word: Codable, FetchableRecord, PersistableRecord {
    var text: String
  }

  private func words(_ type: ColumnType = .text, collation: CollationName = .binary) throws -> DatabaseQueue {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.create(table: "word") { t in t.column("text", type).collate(collation).indexed() }
      for text in ["Zola", "eve", "Émile", "emma", "10", "9"] { try Word(text: text).insert(db) }
    }
    return queue
  }

  @Test
  func `S261: texts are ordered as the user's language orders them, which ASCII's NOCASE can't`() throws {
    let queue = try words()
    func ordered(_ collation: CollationName) throws -> [String] {
      try queue.read { db throws in
        try Word.order(Column("text").collating(collation)).fetchAll(db).map(\.text)
      }
    }
    #expect(
      try ordered(.localizedCaseInsensitiveCompare) == ["10", "9", "Émile", "emma", "eve", "Zola"])
    #expect(try ordered(.localizedCompare) == ["10", "9", "Émile", "emma", "eve", "Zola"])
    #expect(try ordered(.localizedStandardCompare) == ["9", "10", "Émile", "emma", "eve", "Zola"])
    #expect(try ordered(.caseInsensitiveCompare).prefix(4) == ["10", "9", "emma", "eve"])
    #expect(try ordered(.nocase) == ["10", "9", "emma", "eve", "Zola", "Émile"])
    #expect(try ordered(.unicodeCompare).first == "10")
  }

  @Test
  func `a column of a schema made by other programs may be of such a collation, and an index of it`() throws {
    let queue = try words(collation: .localizedCaseInsensitiveCompare)
    try queue.read { db throws in
      #expect(
        try Word.order(Column("text")).fetchAll(db).map(\.text)
          == ["10", "9", "Émile", "emma", "eve", "Zola"])
      #expect(try Word.filter(Column("text") == "ÉMILE").fetchCount(db) == 1)
    }
    try queue.inDatabase { db in try db.execute(sql: "REINDEX; VACUUM") }
  }

  @Test
  func `the functions of SQLite are its own`() throws {
    try DatabaseQueue().read { db throws in
      let defined = try String.fetchAll(
        db,
        sql: """
          SELECT DISTINCT name FROM pragma_function_list
          WHERE builtin = 0 AND name IN ('instr', 'ltrim', 'replace', 'rtrim', 'trim')
          """)
      #expect(defined == [])
    }
  }

  @Test
  func `commits wait for the disk unless the configuration says otherwise`() throws {
    try withFolder { folder in
      for (durability, level) in [(Configuration.Durability.full, 2), (.normal, 1)] {
        var configuration = Configuration()
        configuration.durability = durability
        let pool = try DatabasePool(
          path: folder.appending(path: "\(level).sqlite").path, configuration: configuration)
        let found = try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
        #expect(found == level)
      }
    }
  }
}
