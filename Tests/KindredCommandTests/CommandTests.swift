import Foundation
import KindredSQLite
import TestSupport
import Testing

@Suite("The other commands")
struct CommandTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
  }

  @Test(arguments: [
    "/authors/1?fields=name", "authors/1?fields=name", "http://host:80/authors/1?fields=name#fragment",
  ])
  func `query answers a request`(url: String) throws {
    let outcome = try program.run("query", "library.sqlite", url)
    #expect(outcome.status == 0)
    #expect(outcome.output == #"{"name":"Herman Melville"}"# + "\n")
    #expect(outcome.errors.isEmpty)
  }

  @Test(arguments: [
    ("json", "[{\"name\":\"a,b\",\"n\":[]}]"), ("ndjson", "{\"name\":\"a,b\",\"n\":[]}"),
    ("pretty", "[\n  {\n    \"name\": \"a,b\",\n    \"n\": []\n  }\n]"),
  ])
  func `query writes its answer in the format that is asked for`(format: String, text: String) throws {
    let url = "/authors?fields=name:'a,b'&include=n:books&n.filter=false&filter=id=1"
    let outcome = try program.run("query", "library.sqlite", url, "--format", format)
    #expect(outcome.output == text + "\n", "\(outcome.errors)")
  }

  @Test
  func `query writes CSV, and the format of the URL goes before that of the command`() throws {
    let url = "/authors?fields=name&filter=id=1"
    #expect(
      try program.run("query", "library.sqlite", url, "--format", "csv").output
        == "name\r\nHerman Melville\r\n")
    #expect(
      try program.run("query", "library.sqlite", url + "&format=json", "--format", "csv").output
        == "[{\"name\":\"Herman Melville\"}]\n")
    #expect(try program.run("query", "library.sqlite", url, "--format", "xml").status == 64)
  }

  @Test
  func `a shell completes the URL by the names of the database`() throws {
    let outcome = try program.run(
      "---completion", "query", "--", "positional@1", "3", "9", "kindred", "query", "library.sqlite",
      "/authors?inc")
    #expect(outcome.output.split(separator: "\n").contains("/authors?include="), "\(outcome)")
  }

  @Test
  func `query writes a result of many parts`() throws {
    let outcome = try program.run(
      "query", "library.sqlite", "/authors?include=books.reviews", "--page-size", "0")
    #expect(outcome.status == 0)
    #expect(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) is [Any])
  }

  @Test
  func `query tells what is wrong with a request in one line`() throws {
    let outcome = try program.run("query", "library.sqlite", "/authorss")
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "kindred: 404 Unknown resource: there is no resource `authorss`; did you mean `authors`?\n")
  }

  @Test
  func `query --explain shows the statements, the arguments and the plan`() throws {
    let outcome = try program.run(
      "query", "library.sqlite", "/authors?include=books&filter=name='O''Brien'", "--explain")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("-- root\nSELECT "))
    #expect(outcome.output.contains("\n-- ?1 = 'O''Brien'\n"))
    #expect(outcome.output.contains("\n-- books\nSELECT "))
    #expect(outcome.output.contains("column 0 of the row one level up\n"))
    #expect(outcome.output.contains("\n-- plan: SEARCH book USING INDEX bookOnAuthor"))
  }

  @Test
  func `model prints a file that serve reads`() throws {
    let printed = try program.run("model", "library.sqlite")
    #expect(printed.status == 0)
    #expect(printed.output.contains("  authors:\n"))
    try program.directory.write(printed.output, to: "model.yaml")
    let outcome = try program.run(
      "query", "library.sqlite", "/authors/1?fields=name", "--model", "model.yaml")
    #expect(outcome.output == #"{"name":"Herman Melville"}"# + "\n")
  }

  @Test
  func `migrate applies each file once`() throws {
    let again = try program.run(
      "migrate", "library.sqlite", "--migrations", TemporaryDirectory.migrations.path)
    #expect(again.status == 0)
    #expect(again.output == "the database is up to date (applied migrations: 2)\n")
    try program.directory.write("CREATE TABLE shelf (id INTEGER PRIMARY KEY);\n", to: "own/0001-shelf.sql")
    var program = program
    program.environment["KINDRED_MIGRATIONS"] = "own"
    let own = try program.run("migrate", "own.sqlite")
    #expect(own.output == "applied 0001-shelf.sql\n")
  }

  @Test
  func `migrate says what it applied before an error`() throws {
    try program.directory.write("CREATE TABLE shelf (id INTEGER PRIMARY KEY);\n", to: "own/0001-shelf.sql")
    try program.directory.write("CRATE TABLE box (id);\n", to: "own/0002-box.sql")
    let outcome = try program.run("migrate", "own.sqlite", "--migrations", "own")
    #expect(outcome.status == 1)
    #expect(outcome.output == "applied 0001-shelf.sql\n")
    #expect(outcome.errors.hasPrefix("kindred: own/0002-box.sql:1: "))
  }

  @Test
  func `migrate warns once of references that were broken before`() throws {
    try program.directory.write(
      "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (aId REFERENCES a);", to: "own/1-tables.sql")
    #expect(try program.run("migrate", "own.sqlite", "--migrations", "own").status == 0)
    try Connection(path: program.directory.path("own.sqlite"), access: .readWrite).execute(
      "PRAGMA foreign_keys = OFF; INSERT INTO b VALUES (7), (8)")
    try program.directory.write("CREATE TABLE c (x);", to: "own/2-c.sql")
    try program.directory.write("CREATE TABLE d (x);", to: "own/3-d.sql")
    let outcome = try program.run("migrate", "own.sqlite", "--migrations", "own")
    #expect(outcome.output == "applied 2-c.sql\napplied 3-d.sql\n")
    let warnings = outcome.errors.split(separator: "\n")
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasSuffix(
        " 2 rows refer to missing rows, such as row 1 of b to one of a (aId = 7); migrations leave them as they are"
      )
        == true)
  }

  @Test(arguments: [">/dev/full", ">&-", "| true"])
  func `a committed import succeeds even if its output can't be written`(redirection: String) throws {
    try program.directory.write("name\nA\n", to: "authors.csv")
    let script = """
      ( "$PROGRAM" import library.sqlite authors authors.csv; echo $? > import ) \(redirection)
      ( "$PROGRAM" migrate own.sqlite --migrations '\(TemporaryDirectory.migrations.path)'; echo $? > migrate ) \(redirection)
      cat import migrate
      """
    #expect(try program.shell(script).output == "0\n0\n")
  }
}
