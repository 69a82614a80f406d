import Foundation
import Testing

@Suite("The sources keep to the design")
struct ArchitectureTests {
  private let files: [SourceFile]

  init() throws {
    files = try SourceFile.all()
  }

  @Test
  func `modules import only what the architecture allows`() {
    #expect(!files.isEmpty)
    for file in files {
      guard let importable = Architecture.importable(from: file.module) else {
        Issue.record("\(file.path): the design has no module \(file.module)")
        continue
      }
      for module in file.imports where !importable.contains(module) {
        Issue.record("\(file.path): \(file.module) must not import \(module)")
      }
    }
  }

  @Test
  func `the diagram of the modules shows imports that the architecture allows`() throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let picture = try String(contentsOf: top.appending(path: "docs/diagrams/modules.svg"), encoding: .utf8)
    var named: Set<String> = []
    for arrow in picture.matches(of: /data-module="(\w+)" data-imports="([\w ]+)"/) {
      let importable = try #require(Architecture.importable(from: "Kindred\(arrow.1)"), "\(arrow.1)")
      let imports = arrow.2.split(separator: " ").map(String.init)
      for name in imports { #expect(importable.contains("Kindred\(name)"), "\(arrow.1) to \(name)") }
      named.formUnion(imports + [String(arrow.1)])
    }
    let shown = picture.matches(of: /<text [^>]*>(\w+)<\/text>/).map { String($0.1) }
    #expect(!named.isEmpty)
    #expect(Set(shown) == named)
  }

  @Test
  func `the imports are found`() {
    let file = SourceFile(
      module: "", path: "",
      lines: [
        "import A", "  @preconcurrency import B", "public import struct C.D", "// import E", "importF()",
        "@_spi(X) import G",
      ])
    #expect(file.imports == ["A", "B", "C", "G"])
  }

  @Test
  func `the server knows no driver: it sees a database as a Backend`() {
    let drivers: Set = [
      "KindredSQLite", "KindredSQLiteDialect", "KindredSQLiteBackend", "CKindredSQLite",
      "KindredPostgreSQL", "KindredPostgreSQLDialect", "KindredPostgreSQLBackend", "CKindredPostgreSQL",
    ]
    let server = files.filter {
      [
        "KindredAPI", "KindredExplorer", "KindredTools", "KindredRequests", "KindredHTTP",
        "KindredHTTPClient", "KindredSpooling", "KindredBackend", "KindredOutput",
      ].contains($0.module)
    }
    #expect(server.contains { $0.imports.contains("KindredBackend") })
    for file in server {
      for driver in drivers.intersection(file.imports) { Issue.record("\(file.path) imports \(driver)") }
    }
  }

  @Test
  func `the name of every test is a sentence`() throws {
    let tests = try SourceFile.all(below: "Tests")
    #expect(tests.count > 150)
    for file in tests {
      for line in file.testsWithoutSentences {
        Issue.record("\(file.path):\(line): its function has no sentence")
      }
    }
  }

  @Test
  func `tests without a sentence are found`() {
    let file = SourceFile(
      module: "", path: "",
      lines: [
        "  @Test", "  func `one is one`() {", "@Test(arguments: [", "\"func `a b`\"", "])",
        "func two(x: Int) {",
        "  @Test func `three`() {", "  @Test(\"four is four\")", "func four()", "@Testable func five()",
      ])
    #expect(file.testsWithoutSentences == [3, 7, 8])
  }

  @Test
  func `no arrow leads upwards`() {
    let names = Architecture.modules.map(\.name)
    for (index, module) in Architecture.modules.enumerated() {
      for lower in module.uses + module.gates {
        #expect(names[..<index].contains(lower), "\(module.name) stands on \(lower)")
      }
    }
  }

  @Test
  func `no file has more than 400 lines`() {
    for file in files where file.lines.count > 401 {
      Issue.record("\(file.path) has \(file.lines.count - 1) lines")
    }
  }

  @Test
  func `no type has more than 400 lines of code with its extensions`() {
    var sizes: [String: Int] = [:]
    for file in files {
      for (type, count) in file.typeSizes { sizes["\(file.module).\(type)", default: 0] += count }
    }
    #expect(sizes.count > 500)
    // The types of the Swift API have as many methods as programs call on them, in files of their own.
    // These are to be divided by 2027-01-31, and must not grow until then.
    let allowed = [
      "KindredAPI.RequestShape": 430, "KindredAPI.WriteExecution": 450, "KindredModel.Model": 450,
      "KindredModelFile.ModelFileParser": 520, "KindredModelFile.ModelRefinement": 490,
      "KindredPlanning.ExpressionCompiler": 440,
      "KindredPostgreSQLBackend.PostgreSQLWriteTransaction": 445,
      "KindredPostgreSQLDialect.PostgreSQLDialect": 465, "KindredSQLite.Connection": 420,
    ]
    for (type, count) in sizes where count > allowed[type] ?? 400 && !type.hasPrefix("Kindred.") {
      Issue.record("\(type) has \(count) lines")
    }
  }

  @Test
  func `only the driver, the backend and the library of a database use its words`() {
    let words: [(words: [String], modules: Set<String>)] = [
      (
        ["sqlite3_", "SQLITE_", "PRAGMA ", "sqlite_"],
        ["KindredSQLite", "KindredSQLiteBackend", "Kindred", "KindredMigrations", "KindredCommand"]
      ),
      (
        ["pg_", "libpq"],
        [
          "KindredPostgreSQL", "KindredPostgreSQLDialect", "KindredPostgreSQLBackend", "KindredMigrations",
          "KindredCommand",
        ]
      ),
    ]
    for (words, modules) in words {
      #expect(files.contains { modules.contains($0.module) && !$0.lineNumbers(of: words[0]).isEmpty })
      for file in files where !modules.contains(file.module) {
        for word in words {
          for line in file.lineNumbers(of: word) { Issue.record("\(file.path):\(line) has \(word)") }
        }
      }
    }
  }

  @Test(arguments: ["fatalError(", "preconditionFailure(", "try!", "as!", "import NIO"])
  func `nothing ends the process, and the sockets are our own`(text: String) {
    for file in files {
      for line in file.lineNumbers(of: text) {
        Issue.record("\(file.path):\(line) has \(text)")
      }
    }
  }

  @Test
  func `what is kept is found by keys of exact bytes`() {
    let keys = files.flatMap(\.exactKeys)
    #expect(keys.count > 5)
    // They compare the bytes themselves.
    for key in keys where !["ExactText", "ExactName"].contains(key.name) {
      for line in key.texts {
        Issue.record("\(key.name): `\(line)` compares canonically equivalent texts as equal; use ExactText")
      }
    }
    let folders = ["Caching/", "Live/", "Access/", "Reads/", "Writes/", "Operations/", "Session/"]
    for file in files where folders.contains(where: file.path.contains) {
      for (index, line) in file.lines.enumerated()
      where line.contains(/Mutex<.*(\[\[?String|\[\[?Substring|Set<\[?String|Set<\[?Substring)/) {
        Issue.record("\(file.path):\(index + 1) keeps something by texts; use ExactText")
      }
    }
  }

  @Test
  func `texts in keys are found`() {
    let file = SourceFile(
      module: "", path: "",
      lines: [
        "struct A: ExactKey {", "  let a: Int", "  let b: [Substring]", "  var c: String { \"\" }", "}",
        "enum B: Equatable, ExactKey {", "  case a(String), b", "  func c(d: String) {}", "}",
        "struct C: Hashable {", "  let a: String", "}",
      ])
    #expect(file.exactKeys.map(\.name) == ["A", "B"])
    #expect(file.exactKeys.map(\.texts) == [["let b: [Substring]"], ["case a(String), b"]])
  }
}
