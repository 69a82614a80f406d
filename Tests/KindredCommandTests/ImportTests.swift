import Foundation
import TestSupport
import Testing

@Suite("kindred import")
struct ImportTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
  }

  private func count(_ resource: String, _ filter: String) throws -> String {
    try program.run("query", "library.sqlite", "/\(resource)?fields=n:count()&filter=\(filter)").output
  }

  @Test(arguments: ["csv", "jsonl", "ndjson"])
  func `adds the records of a file, and tells how many and how fast`(format: String) throws {
    let records = (1...500).map { format == "csv" ? "\"N, \($0)\"" : "{\"name\":\"N, \($0)\"}" }
    let content = (format == "csv" ? ["name"] : []) + records
    try program.directory.write(content.joined(separator: "\n"), to: "authors.\(format)")
    let outcome = try program.run("import", "library.sqlite", "authors", "authors.\(format)")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.output.contains(/^500 records in [0-9.]+ s, [0-9]+ a second\n$/))
    #expect(try count("authors", "name%20like%20'N,%25'") == "[{\"n\":500}]\n")
  }

  @Test(arguments: [
    #"printf 'name\nA\nB\n' | "$PROGRAM" import library.sqlite authors - --format csv"#,
    #"printf 'name\nA\nB\n' | "$PROGRAM" import library.sqlite authors /dev/stdin --format csv"#,
    #"printf 'name\nA\nB\n' > f; "$PROGRAM" import library.sqlite authors - --format csv < f"#,
    #"printf 'x\nname\nA\nB\n' > f; (head -c 2 > x; "$PROGRAM" import library.sqlite authors - --format csv) < f"#,
    #"mkfifo p; printf '{"name":"A"}\n{"name":"B"}' > p & "$PROGRAM" import library.sqlite authors p --format jsonl"#,
  ])
  func `adds the records of a pipe`(script: String) throws {
    let outcome = try program.shell(script)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("2 records in "))
    #expect(try count("authors", "name in ('A','B')".replacing(" ", with: "%20")) == "[{\"n\":2}]\n")
  }

  @Test
  func `adds nothing where a line is wrong, and names it`() throws {
    try program.directory.write("name\nA\n\"B\n", to: "authors.csv")
    let outcome = try program.run("import", "library.sqlite", "authors", "authors.csv")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "kindred: 400 Malformed CSV: line 3: the content is not CSV: the content ends within a quoted field\n"
    )
    #expect(try count("authors", "name='A'") == "[{\"n\":0}]\n")
  }

  @Test
  func `merges into the records that are there, by the key or another one`() throws {
    try program.directory.write("id,name\n1,Changed\n", to: "authors.csv")
    #expect(try program.run("import", "library.sqlite", "authors", "authors.csv").status == 1)
    let outcome = try program.run(
      "import", "library.sqlite", "authors", "authors.csv", "--duplicates", "merge", "--on-conflict", "id")
    #expect(outcome.output.hasPrefix("1 record in "), "\(outcome.errors)")
    #expect(try count("authors", "name='Changed'") == "[{\"n\":1}]\n")
  }

  @Test(arguments: [
    (["authors", "authors.txt"], 64, "format"), (["authors", "-"], 64, "--format"),
    (["authors", "gone.csv"], 1, "gone.csv"),
    (["authors", "authors.csv", "--on-conflict", "id"], 64, "--duplicates"),
    (["author", "authors.csv"], 1, "`authors`"),
  ])
  func `needs a file of a format, and tells what is missing`(arguments: [String], status: Int32, word: String)
    throws
  {
    try program.directory.write("name\nA\n", to: "authors.csv")
    let outcome = try program.run(["import", "library.sqlite"] + arguments)
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(word), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }
}
