import Foundation
import TestSupport
import Testing

@testable import KindredCommand

@Suite("Formats of kindred import", .timeLimit(.minutes(5)))
struct ImportFormatTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
  }

  /// Imports a text as a new table, and returns all records.
  private func imported(_ text: String, _ file: String, _ arguments: String...) throws -> String {
    try program.directory.write(text, to: file)
    let outcome = try program.run(["import", "x.db", "things", file, "--create-table"] + arguments)
    guard outcome.status == 0 else { return outcome.errors }
    return try program.run("query", "x.db", "/things").output
  }

  @Test
  func `columns of a new table have types that fit all values`() throws {
    let csv = "id,whole,real,code,flag,mixed,none\n1,2,1.5,007,true,1,\n2,-3,2,12,false,x,\n"
    #expect(
      try imported(csv, "a.csv")
        == #"[{"id":1,"whole":2,"real":1.5,"code":"007","flag":true,"mixed":"1","none":null},{"id":2,"whole":-3,"real":2.0,"code":"12","flag":false,"mixed":"x","none":null}]"#
        + "\n")
    let again = try program.run("import", "x.db", "things", "a.csv", "--create-table")
    #expect(again.status == 1)
    #expect(
      again.errors
        == "kindred: x.db already has a table things; leave out --create-table, or choose another name\n")
    #expect(try program.run("query", "x.db", "/things?fields=n:count()").output == "[{\"n\":2}]\n")
  }

  @Test(arguments: [("a;b\n1;2\n", ";"), ("a\tb\n1\t2\n", "tab"), ("a|b\n1|2\n", "|")])
  func `a header without commas is refused with the delimiter that it has`(csv: String, delimiter: String)
    throws
  {
    #expect(
      try imported(csv, "a.csv")
        == "kindred: the header has no comma but `\(delimiter)`; add --delimiter '\(delimiter)'\n")
    #expect(try imported(csv, "a.csv", "--delimiter", delimiter) == "[{\"rowid\":1,\"a\":1,\"b\":2}]\n")
    #expect(try imported("a;b\n1\n", "b.csv", "--delimiter", ",").contains("x.db already has a table"))
  }

  @Test
  func `a column that the header has twice is refused, and no database is left behind`() throws {
    #expect(
      try imported("a,b,A\n1,2,3\n", "a.csv")
        == "kindred: line 1: the content is not CSV: the header has the column `A` twice; rename one of them\n"
    )
    #expect(try !program.directory.fileNames.contains { $0.hasPrefix("x.db") })
  }

  @Test
  func `a new database is removed with its table if the import fails`() throws {
    #expect(try imported("a,b\n1,2\n1,2,3\n", "a.csv").contains("line 3"))
    #expect(try !program.directory.fileNames.contains { $0.hasPrefix("x.db") })
  }

  @Test
  func `the table that is created is printed, with the first text of a column that has digits`() throws {
    try program.directory.write("id,sum,name\n1,7,A\n2,'1.200,B\n", to: "a.csv")
    let outcome = try program.run("import", "y.db", "gifts", "a.csv", "--create-table")
    #expect(
      outcome.output.hasSuffix(
        "\ncreated the table gifts: id INTEGER PRIMARY KEY, sum TEXT (because of ''1.200'), name TEXT\n"))
  }

  @Test(arguments: [
    ("gifts.csv", "to make one of it: kindred import NEW.db gifts gifts.csv --create-table"),
    ("kindred.yaml", "a configuration is named by --config"),
  ])
  func `a file that is no database says what it may be`(file: String, text: String) throws {
    try program.directory.write("a text that is long enough to be no empty database: 1, 2, 3\n", to: file)
    #expect(try program.run("serve", file).errors.contains(text))
  }

  @Test
  func `a JSON array is imported like a line per element`() throws {
    let json = """
      [ {"id": 1, "title": "x, ]\\"[", "tags": ["a", {"b": [1]}]} ,
        {"id": 2,
         "title": "\\\\", "more": null}
      ]
      """
    #expect(
      try imported(json, "a.json")
        == #"[{"id":1,"title":"x, ]\"[","tags":["a",{"b":[1]}],"more":null},{"id":2,"title":"\\","tags":null,"more":null}]"#
        + "\n")
  }

  @Test(arguments: [
    (#"[{"id":1},{"no":2}]"#, "element 2: `no` is neither a column nor an association of things"),
    (#"[{"id":1}"#, "it ends before the array does"), (#"{"id":1}"#, "use --format jsonl"),
    (#"[{"id":1},]"#, "an element is missing after a comma"),
    (#"[{"id":1}] 2"#, "continues after the end of its JSON array"),
    ("[1]", "element 1: a record must be an object"),
  ])
  func `a wrong JSON array names the place, and adds nothing`(json: String, text: String) throws {
    _ = try imported("id\n7\n", "a.csv")
    try program.directory.write(json, to: "b.json")
    let outcome = try program.run("import", "x.db", "things", "b.json")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(text), "\(outcome.errors)")
    #expect(try program.run("query", "x.db", "/things").output == "[{\"id\":7}]\n")
  }

  @Test
  func `fields may be separated by other characters`() throws {
    let expected = #"[{"id":1,"a":"x,y","b":"p;q"},{"id":2,"a":"line\nbreak","b":null}]"# + "\n"
    let text = "id;a;b\n1;x,y;\"p;q\"\n2;\"line\nbreak\";\n"
    #expect(try imported(text, "a.csv", "--delimiter", ";") == expected)
    try FileManager.default.removeItem(atPath: program.directory.path("x.db"))
    #expect(try imported("id\ta\r\n1\tx,y\r\n", "a.tsv") == #"[{"id":1,"a":"x,y"}]"# + "\n")
    for wrong in ["", ";;", "\"", "é"] {
      #expect(try program.run("import", "x.db", "things", "a.csv", "--delimiter", wrong).status == 64)
    }
  }

  @Test
  func `a new table disappears with an import that fails`() throws {
    #expect(
      try imported("id,a\n1,2\n1,3\n", "a.csv").contains("line 3: a record with this `id` exists already"))
    #expect(try program.run("query", "x.db", "/things").status == 1)
  }

  @Test
  func `a pipe is read`() throws {
    let outcome = try program.shell(
      #"printf '[{"id":1}]' | "$PROGRAM" import x.db things - --format json --create-table"#)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try program.run("query", "x.db", "/things").output == "[{\"id\":1}]\n")
  }
}
