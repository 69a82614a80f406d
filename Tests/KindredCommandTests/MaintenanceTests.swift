import Foundation
import KindredSQLite
import Synchronization
import TestSupport
import Testing

@Suite("kindred backup, check and migrate", .timeLimit(.minutes(5)))
struct MaintenanceTests {
  private let program: Program
  private var directory: TemporaryDirectory { program.directory }

  init() throws {
    program = Program(directory: try TemporaryDirectory())
  }

  private func make(_ sql: String) throws {
    try Connection(path: directory.path("x.db"), access: .readWriteCreate).execute(sql)
  }

  // MARK: Backup

  @Test
  func `a backup while the database is written has a state between two commits`() async throws {
    try directory.makeLibrary()
    let server = try ServerProcess(program, "library.sqlite", "--writable", "--port", "0")
    let finished = Mutex(false)
    let writer = Task { () throws -> Int in
      var count = 0
      repeat {
        let batch = #"[{"code":"A\#(count)","name":"A\#(count)"},{"code":"B\#(count)","name":"B\#(count)"}]"#
        #expect(try await server.send("POST", "/countries", batch).status == 201)
        count += 1
      } while !finished.withLock { $0 }
      return count
    }
    for number in 1...5 {
      let outcome = try program.run("backup", "library.sqlite", "copy\(number).db")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let counts = try program.run(
        "query", "copy\(number).db", "/countries?fields=a:count()&filter=code like 'A_' or code like 'A__'")
      #expect(counts.status == 0)
      #expect(try program.run("check", "copy\(number).db").status == 0)
    }
    finished.withLock { $0 = true }
    #expect(try await writer.value > 0)
    let copies = try directory.fileNames.filter {
      $0.contains("partial") || $0.hasPrefix("copy") && $0.contains("-")
    }
    #expect(copies == [])
  }

  @Test
  func `a backup replaces nothing, and needs a database`() throws {
    try make("CREATE TABLE a(id INTEGER PRIMARY KEY)")
    try directory.write("mine", to: "there")
    for (arguments, text) in [
      (["x.db", "there"], "there: the copy can't be created: it exists; choose another name"),
      (["x.db", "none/copy"], "none/copy: the copy can't be created: No such file or directory"),
      (["none.db", "copy"], "none.db: no such file; check the path"), ([".", "copy"], ".: is a directory"),
    ] {
      let outcome = try program.run(["backup"] + arguments)
      #expect(outcome.status == 1)
      #expect(outcome.errors.hasPrefix("kindred: \(text)"), "\(outcome.errors)")
    }
    #expect(try program.run("backup", "postgres://h/d", "copy").status == 64)
    #expect(try String(contentsOfFile: directory.path("there"), encoding: .utf8) == "mine")
    let files = try directory.fileNames.filter { !$0.contains("-") }
    #expect(files == ["there", "x.db"])
  }

  // MARK: Check

  @Test
  func `missing rows, damage and missing indexes are reported`() throws {
    try make(
      """
      CREATE TABLE author(id INTEGER PRIMARY KEY);
      CREATE TABLE book(id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author);
      INSERT INTO author VALUES (1);
      INSERT INTO book VALUES (1, 1);
      """)
    let intact = try program.run("check", "x.db")
    #expect(intact.status == 0)
    #expect(intact.output.contains("missing index: CREATE INDEX"))
    #expect(intact.output.hasSuffix("x.db: the file and its references are intact\n"))
    try make(
      "PRAGMA foreign_keys = OFF; CREATE INDEX bookByAuthor ON book(authorId); INSERT INTO book VALUES (2, 7), (3, 8)"
    )
    let broken = try program.run("check", "x.db")
    #expect(broken.status == 1)
    #expect(broken.output == "x.db: book refers to 2 missing rows of author, for example in row 2\n")
    var bytes = try Data(contentsOf: directory.url.appending(path: "x.db"))
    for index in 4096 + 100..<bytes.count { bytes[index] = 0xAA }
    try directory.write(Array(bytes), to: "damaged.db")
    let damaged = try program.run("check", "damaged.db")
    #expect(damaged.status == 1)
    #expect(!damaged.output.isEmpty)
  }

  @Test
  func `references of the model file that lead to missing records are counted`() throws {
    try make(
      """
      CREATE TABLE author(id INTEGER PRIMARY KEY);
      CREATE TABLE book(id INTEGER PRIMARY KEY, authorId INTEGER);
      CREATE INDEX bookByAuthor ON book(authorId);
      INSERT INTO author VALUES (1);
      INSERT INTO book VALUES (1, 1), (2, 7), (3, NULL), (4, 8);
      """)
    try directory.write("resources: { books: { foreignKeys: { authorId: authors } } }\n", to: "model.yaml")
    let outcome = try program.run("check", "x.db", "--model", "model.yaml")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        model.yaml:1: 2 records of books refer by authorId to missing records of authors
        x.db: the file and its references are intact

        """)
  }

  // MARK: Migrations

  @Test
  func `migrate shows what is applied, tries what is not, and makes new files`() throws {
    func run(_ arguments: String...) throws -> String {
      let outcome = try program.run(["migrate"] + arguments)
      return outcome.status == 0 ? outcome.output : outcome.errors
    }
    #expect(try run("--new", "first", "--migrations", "m") == "m/0001-first.sql\n")
    try directory.write("CREATE TABLE a(id INTEGER PRIMARY KEY);", to: "m/0001-first.sql")
    #expect(try run("x.db", "--migrations", "m", "--status") == "pending 0001-first.sql\n")
    #expect(try run("x.db", "--migrations", "m", "--dry-run") == "would apply 0001-first.sql\n")
    #expect(try !directory.fileNames.contains("x.db"))
    #expect(try run("x.db", "--migrations", "m") == "applied 0001-first.sql\n")
    #expect(try run("--new", "second", "--migrations", "m") == "m/0002-second.sql\n")
    try directory.write("CREATE TABLE b(id); CREATE TABLE a(id)", to: "m/0002-second.sql")
    let tried = try program.run("migrate", "x.db", "--migrations", "m", "--dry-run")
    #expect(tried.status == 1)
    #expect(tried.errors.hasPrefix("kindred: m/0002-second.sql:1: "))
    let status = try run("x.db", "--migrations", "m", "--status")
    #expect(
      status.wholeMatch(
        of: /applied 0001-first\.sql \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\npending 0002-second\.sql\n/) != nil)
    for arguments in [["x.db", "--status", "--dry-run"], ["--new", "a/b"], ["x.db", "--new", "c"], []] {
      #expect(try program.run(["migrate"] + arguments).status == 64)
    }
  }
}
