import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import KindredCommand

@Suite("The documentation is true")
struct DocumentationTests {
  private let program: Program
  private let readme: String

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    try program.directory.makeLibrary()
    let top = TemporaryDirectory.migrations.deletingLastPathComponent()
    readme = try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
  }

  @Test
  func `every URL of the README is answered`() throws {
    let urls = readme.matches(of: /`(\/[a-z][^`]*)`/).map { String($0.1) }
    #expect(urls.count >= 10)
    for url in urls {
      let outcome = try program.run("query", "library.sqlite", url)
      #expect(outcome.status == 0, "\(url): \(outcome.errors)")
    }
  }

  @Test
  func `the README's first request has the answer and the statements that it shows`() throws {
    let page = try DocumentationPage("README.md")
    let url = try #require(page.blocks(of: "").first).trimmingCharacters(in: .newlines)
    #expect(try program.run("query", "library.sqlite", url).output == page.blocks(of: "json").first)
    // The README breaks the lines of the statements.
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    let explained = try program.run("query", "library.sqlite", url, "--explain").output
    // The statement that looks ahead, for the link to the next page, comes last.
    let shown = explained.components(separatedBy: "-- lookahead")[0]
    let statements = shown.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: " ")
    #expect(words(try #require(page.blocks(of: "sql").first)) == words(statements))
  }

  @Test
  func `the README's first screen shows what the program prints`() async throws {
    let session = try #require(try DocumentationPage("README.md").blocks(of: "console").first)
    let lines = session.split(separator: "\n")
    #expect(lines[0] == "$ kindred serve")
    #expect(lines[1] == "listening on http://127.0.0.1:8080")
    let path = try #require(lines[2].wholeMatch(of: /\$ curl 'http:\/\/127.0.0.1:8080(.+)'/)).1
    // The README breaks the line of the answer.
    let shown = lines[3...].map { $0.trimmingPrefix { $0 == " " } }.joined()
    let server = try ServerProcess(program, "--port", "0")
    #expect(try await server.get(String(path)).body == shown)
  }

  @Test
  func `the image is built of the pinned versions, which are the ones that the package wants`() throws {
    let top = TemporaryDirectory.migrations.deletingLastPathComponent()
    func text(_ name: String) throws -> String {
      try String(contentsOf: top.appending(path: name), encoding: .utf8)
    }
    let copied = try #require(text("Dockerfile").split(separator: "\n").first { $0.hasPrefix("COPY") })
    #expect(copied.contains("Package.resolved"))
    #expect(try text(".dockerignore").split(separator: "\n").contains("!Package.resolved"))
    #expect(try text(".gitignore").split(separator: "\n").contains("!/Package.resolved"))
    let pins = try text("Package.resolved")
    let dependencies = try text("Package.swift").matches(
      of: /\.package\(url: "([^"]+)", (exact|from): "([^"]+)"\)/)
    #expect(dependencies.count >= 4)
    for dependency in dependencies {
      let pin = try #require(pins.split(separator: "\"location\" : \"\(dependency.1)\"").dropFirst().first)
      let version = try #require(pin.firstMatch(of: /"version" : "([^"]+)"/)).1
      if dependency.2 == "exact" { #expect(version == dependency.3) }
    }
  }

  @Test
  func `the configuration of the package has every key of a setting, and no other`() throws {
    let text = try DocumentationPage("Config/kindred.yaml").text
    var section = ""
    var keys: Set<String> = []
    for line in text.split(separator: "\n") {
      guard let entry = line.wholeMatch(of: /#?( *)#?([a-zA-Z]+):( .*)?/) else { continue }
      let isNested = !entry.1.isEmpty
      if !isNested { section = "" }
      if ["cors", "log", "tls"].contains(entry.2), entry.3 == nil {
        section = entry.2 + "."
      } else if entry.2 != "access", !isNested || !section.isEmpty {
        keys.insert(section + entry.2)
      }
    }
    // What excludes another key stands in its comment.
    keys.formUnion(text.matches(of: /`([a-zA-Z]+): \//).map { String($0.1) })
    #expect(keys == Set(Setting.all(of: ServeCommand()).map(\.key)).subtracting(["config"]))
  }

  @Test(arguments: ReferencePage.Subject.allCases)
  func `a page of the reference is what the program prints`(subject: ReferencePage.Subject) throws {
    let page = try DocumentationPage("docs/\(subject.rawValue).md").text
    let outcome = try program.run("manual", subject.rawValue)
    #expect(outcome.output == page, "`make reference` writes the page anew")
  }

  @Test
  func `the diagram of the sample library is what the program draws`() throws {
    let outcome = try program.run("query", "library.sqlite", "/-/diagram.svg")
    let shown = try DocumentationPage("docs/library.svg").text
    #expect(outcome.output.trimmingCharacters(in: .newlines) == shown.trimmingCharacters(in: .newlines))
  }

  @Test
  func `the reference has every setting, command, metric and error`() async throws {
    let settings = try ReferencePage(.settings).text
    for setting in Setting.all(of: ServeCommand()) {
      let key = setting.name == "config" ? "" : "`\(setting.key)`"
      #expect(settings.contains("| `\(setting.flag)` | \(key) |"))
    }
    let commands = try ReferencePage(.commands).text
    for command in Invocation.commands where command != "help" {
      #expect(commands.contains("\n## kindred \(command)\n"))
    }
    let metrics = try ReferencePage(.metrics).text
    let served = try await ServerProcess(program, "library.sqlite", "--port", "0", "--writable").get(
      "/-/metrics")
    for name in served.body.matches(of: /# HELP (\w+)/) { #expect(metrics.contains("| `\(name.1)` |")) }
  }

  @Test
  func `the page on the model file shows what is inferred`() throws {
    let page = try DocumentationPage("docs/model.md")
    let statements = try #require(page.blocks(of: "sql").first)
    try program.directory.write(statements, to: "migrations/0001-tables.sql")
    #expect(try program.run("migrate", "inferred.db", "--migrations", "migrations").status == 0)
    #expect(try program.run("model", "inferred.db").output == page.blocks(of: "").first)
  }

  @Test
  func `every example of the page on the model file is valid`() throws {
    let examples = try DocumentationPage("docs/model.md").blocks(of: "yaml")
    #expect(examples.count >= 4)
    for example in examples {
      try program.directory.write(example, to: "model.yaml")
      let outcome = try program.run("query", "library.sqlite", "/", "--model", "model.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)\(example)")
    }
  }

  @Test
  func `the page on the model file has every key, and no other`() async throws {
    let page = try DocumentationPage("docs/model.md")
    let answer = try await ServerProcess(program, "library.sqlite", "--port", "0").get("/-/schema.json")
    let schema = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
    for (name, header) in [
      ("resource", "| key of a resource | |"), ("association", "| key of an association | |"),
      ("commonTableExpression", "| key of a common table expression | |"),
      ("action", "| key of an action | |"),
      (
        "rule",
        "| key of an entry of `read`, `create`, `update`, `delete`, or `write` for the last three | |"
      ),
    ] {
      let keys = try #require(definitions[name]?["properties"] as? [String: Any]).keys
      let shown = page.cells(under: header).joined().matches(of: /`(\w+)`/).map { String($0.1) }
      #expect(Set(shown) == Set(keys), "\(name)")
    }
  }

  @Test
  func `the pages on deployment name options and metrics that exist, and so does the dashboard`() async throws
  {
    let page = try ["deployment", "monitoring", "backups"].map { try DocumentationPage("docs/\($0).md").text }
      .joined()
    let server = try ServerProcess(program, "library.sqlite", "--port", "0")
    _ = try await server.get("/authors")
    let metrics = try await server.get("/-/metrics").body
    let dashboard = try DocumentationPage("Examples/dashboard.json").text
    let shown = (page + dashboard).matches(of: /\b(?:kindred|process)_[a-z_]+[a-z]/).map { String($0.0) }
    #expect(shown.count > 20)
    // SQLite in WAL mode alone has this one, and a server with replicas those.
    for name in Set(shown) where name != "kindred_database_wal_bytes" && !name.hasPrefix("kindred_replica_") {
      #expect(metrics.contains("\n\(name)"), "\(name)")
    }
    let help = ServeCommand.helpMessage()
    let commands = page.matches(of: /(?m)^kindred serve [^\n]*|`--[a-z-]+`/).map { String($0.0) }.joined()
    let options = commands.matches(of: /--[a-z-]+[a-z]/).map { String($0.0) }
    #expect(options.count > 8)
    for option in Set(options).subtracting(["--stop-timeout", "--publish"]) {
      #expect(help.contains(option), "\(option)")
    }
  }

  @Test
  func `links lead to files and headings that exist`() throws {
    let top = TemporaryDirectory.migrations.deletingLastPathComponent()
    /// The headings of a page, as links name them.
    func anchors(_ text: String) -> Set<String> {
      let headings = text.replacing(/(?ms)^```.*?^```/, with: "").matches(of: /(?m)^#+ (.+)$/)
      return Set(
        headings.map { heading in
          heading.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            .replacing(" ", with: "-")
        })
    }
    let pages = try FileManager.default.contentsOfDirectory(atPath: top.appending(path: "docs").path)
      .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
    var count = 0
    for page in pages + ["README.md", "CHANGELOG.md"] {
      let links = try DocumentationPage(page).text.matches(of: /\]\(([^)\s#:]*)(?:#([^)\s]+))?\)/)
      for link in links {
        let folder = top.appending(path: page).deletingLastPathComponent()
        let file = link.1.isEmpty ? top.appending(path: page) : folder.appending(path: String(link.1))
        #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link.0)")
        if let anchor = link.2, file.pathExtension == "md" {
          let text = try String(contentsOf: file, encoding: .utf8)
          #expect(anchors(text).contains(String(anchor)), "\(page): \(link.0)")
        }
        count += 1
      }
    }
    #expect(count > 50)
  }
}
