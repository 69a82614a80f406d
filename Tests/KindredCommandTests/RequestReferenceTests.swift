import Foundation
import KindredSQLite
import TestSupport
import Testing

@Suite("The pages of requests are true")
struct RequestReferenceTests {
  private let program: Program
  private let page: DocumentationPage

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    page = try DocumentationPage("docs/requests.md")
  }

  private func serve(_ schema: String? = nil) throws -> ServerProcess {
    guard let schema else { return try ServerProcess(program, "--port", "0") }
    let name = "\(UUID().uuidString).db"
    try Connection(path: program.directory.path(name), access: .readWriteCreate).execute(schema)
    return try ServerProcess(program, name, "--port", "0")
  }

  @Test(arguments: [("requests", 40), ("filters", 30)])
  func `every request has the answer that is shown`(page: String, atLeast: Int) async throws {
    let library = try serve()
    var count = 0
    for section in try DocumentationPage("docs/\(page).md").sections {
      let server = try section.schema.map { try serve($0) } ?? library
      for example in section.examples {
        let answer = try await server.answer(
          example.url.encodedURL, method: example.method, sending: example.sent, example.sentContent)
        #expect(answer.status == example.status, "\(example.url)")
        if let code = example.code {
          #expect(answer.body.contains("\"type\":\"/-/errors#\(code)\""), "\(example.url): \(answer.body)")
        }
        for (name, value) in example.fields { #expect(answer.field(name) == value, "\(example.url)") }
        if !example.content.isEmpty {
          let lines = answer.body.split(whereSeparator: \.isNewline).joined(separator: "\n")
          #expect(lines == example.content, "\(example.url)")
        }
        count += 1
      }
    }
    #expect(count > atLeast)
  }

  @Test
  func `every URL in the text is answered`() async throws {
    let library = try serve()
    let urls = page.sections.flatMap(\.urls)
    #expect(urls.count > 40)
    for url in urls {
      let answer = try await library.answer(url.encodedURL)
      #expect(answer.status == 200, "\(url): \(answer.body)")
    }
  }

  /// What the program proposes at the end of a URL, by kind.
  private func completions(_ url: String, of server: ServerProcess) async throws -> [String: Set<String>] {
    struct Item: Decodable {
      var kind: String
      var text: String
    }
    let path = "/-/complete?position=\(url.count)&url="
    let encoded = try #require(url.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let items = try JSONDecoder().decode(
      [Item].self, from: Data(await server.answer(path + encoded).body.utf8))
    return Dictionary(grouping: items, by: \.kind).mapValues { Set($0.map(\.text)) }
  }

  @Test
  func `it has every parameter, function, aggregate and operator of the program`() async throws {
    let server = try serve()
    let root = try await completions("/books?", of: server)["parameter"]
    let node = try await completions("/books?include=reviews&reviews.", of: server)["parameter"]
    let proposed = try #require(root).union(try #require(node)).map { $0.split(separator: ".").last ?? "" }
    let parameters = page.cells(under: "| parameter | of | meaning |").joined()
      .matches(of: /`(\w+)`/).map { String($0.1) }
    // A page's cursor isn't proposed, since it is never typed.
    let typed = Set(proposed.map { String($0.prefix { $0 != "=" }) })
    #expect(Set(parameters) == typed.union(["after", "before"]))

    let functions = try await completions("/books?filter=", of: server)["function"]
    let shown = page.cells(under: "| function | value |").joined().matches(of: /`(\w+)\(/).map { $0.1 + "(" }
    // Those of a search are proposed where there is one.
    let ofSearches: Set<String> = ["rank(", "highlight(", "snippet("]
    #expect(Set(shown.map(String.init)) == functions?.union(ofSearches))

    let ofAssociations = try await completions("/authors?filter=books.", of: server)
    let aggregates = page.cells(under: "| aggregate | name |").joined()
    for aggregate in try #require(ofAssociations["aggregate"]) {
      #expect(aggregates.contains("`books.\(aggregate)"))
    }

    let groups = try #require(page.text.components(separatedBy: "\n### Groups\n").last)
    let ofGroups = try await completions("/books?group=kind&having=", of: server)["function"]
    for aggregate in try #require(ofGroups).subtracting(try #require(functions)) {
      #expect(groups.contains("`\(aggregate)"), "\(aggregate)")
    }

    let operators = page.cells(under: "| operators | |").joined()
    let after = try await completions("/books?filter=title ", of: server)
    for name in try #require(after["operator"]).union(try #require(after["keyword"])) {
      #expect(operators.contains(try #require(name.removingPercentEncoding)), "\(name)")
    }
  }

  @Test
  func `it has every representation of records, and no other`() async throws {
    let refusal = try await serve().answer("/books", sending: ["Accept": "image/png"]).body
    let offered = try #require(refusal.firstMatch(of: /is available as (.+); change/)).1
    let shown = page.cells(under: "| `Accept` | `format` | |").joined().matches(of: /`([^`]+)`/).map {
      String($0.1)
    }
    #expect(Set(shown) == Set(offered.components(separatedBy: ", ")))
  }

  @Test
  func `the page of errors has every code, with the program's description`() async throws {
    struct Entry: Decodable {
      var code: String
      var description: String
    }
    let page = try DocumentationPage("docs/errors.md").text
    let answer = try await serve().answer("/-/errors", sending: ["Accept": "application/json"])
    let entries = try JSONDecoder().decode([Entry].self, from: Data(answer.body.utf8))
    for entry in entries {
      let section = try #require(page.components(separatedBy: "\n## \(entry.code)\n").dropFirst().first)
      #expect(section.components(separatedBy: "\n## ")[0].contains(entry.description), "\(entry.code)")
    }
  }
}
