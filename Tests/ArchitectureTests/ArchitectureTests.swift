import Testing

@Suite("The sources keep to the design")
struct ArchitectureTests {
  private let files: [SourceFile]

  init() throws {
    files = try SourceFile.all()
  }

  @Test
  func `every module stands on those that the design gives it, and on no other`() {
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
    let drivers: Set = ["KindredSQLite", "KindredExecution", "CKindredSQLite"]
    let server = files.filter {
      ["KindredAPI", "KindredHTTP", "KindredBackend", "KindredOutput"].contains($0.module)
    }
    #expect(server.contains { $0.imports.contains("KindredBackend") })
    for file in server {
      for driver in drivers.intersection(file.imports) { Issue.record("\(file.path) imports \(driver)") }
    }
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

  @Test(
    "no type has more than 400 lines with its extensions, but for those with a method for each of many cases")
  func typeSize() {
    var sizes: [String: Int] = [:]
    for file in files {
      for (type, count) in file.typeSizes { sizes["\(file.module).\(type)", default: 0] += count }
    }
    #expect(sizes.count > 500)
    for (type, count) in sizes where count > Architecture.largeTypes[type] ?? 400 {
      Issue.record("\(type) has \(count) lines")
    }
    for type in Architecture.largeTypes.keys {
      #expect(sizes[type] ?? 0 > 400, "\(type) needs no exception")
    }
  }

  @Test
  func `only the driver, the backend and the library of a database use its words`() {
    let words: [(words: [String], modules: Set<String>)] = [
      (
        ["sqlite3_", "SQLITE_", "PRAGMA ", "sqlite_"],
        ["KindredSQLite", "KindredExecution", "Kindred", "KindredMigrations"]
      ),
      (["pg_", "libpq"], ["KindredPostgreSQL", "KindredPostgreSQLExecution"]),
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

  @Test(arguments: ["SQLDialect", "SelectBuilder", "StatementBuilder", "CompiledExpression", "SQL(", "SQL."])
  func `names are resolved without SQL`(word: String) {
    let resolution = files.filter { $0.path.contains("/Planning/Resolution/") }
    #expect(!resolution.isEmpty)
    for file in resolution {
      for line in file.lineNumbers(of: word) { Issue.record("\(file.path):\(line) has \(word)") }
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
  func `SQLite's SQL stands in its dialect and its strategies, PostgreSQL's in its own`() {
    let words = [
      "SQLite": [
        " INDEXED BY ", "temp.", "TEMP TABLE", "rowid FROM", ".rowid", " MATCH ", "json_each", "kindred_",
        "offsets(",
        "LIMIT -1", "\"TOTAL", "group_concat", "MIN(place)",
      ],
      "PostgreSQL": [
        "ILIKE", "DISTINCT ON", "unnest", "tsquery", "ts_rank", "::text", "num_nulls",
      ],
    ]
    for file in files where file.module == "KindredAssociations" {
      for (database, words) in words where !file.path.contains("/\(database)") {
        for word in words {
          for line in file.lineNumbers(of: word) { Issue.record("\(file.path):\(line) has \(word)") }
        }
      }
    }
  }
}
