import Foundation
import KindredHTTP
import KindredModelFile
import Testing

@Suite("The requests beside PostgREST's are answered", .enabled(if: Cluster.isAvailable))
struct FromPostgRESTTests {
  /// The section of docs/from-postgrest.md with the requests and their database.
  private static let section: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = root.appending(path: "docs/from-postgrest.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    let sections = text.components(separatedBy: "\n## ")
    return sections.first { $0.hasPrefix("3. Requests\n") } ?? ""
  }()

  private static func block(of language: String) -> String {
    let parts = section.components(separatedBy: "```\(language)\n")
    return parts.count > 1 ? parts[1].components(separatedBy: "\n```")[0] : ""
  }

  private struct Example {
    let method: HTTPMethod
    let url: String
    var content: String?
    var preference: String?
  }

  /// The requests of the table's last column: the first text between backquotes is the request, and others are its
  /// content or its header field.
  private static var examples: [Example] {
    section.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { row in
      let cell = row.components(separatedBy: " | ").last ?? ""
      let texts = cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      let words = texts.first?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
      guard words.count == 2, let method = HTTPMethod(words[0]) else { return nil }
      var example = Example(method: method, url: words[1])
      for text in texts.dropFirst() {
        if text.hasPrefix("Prefer: ") {
          example.preference = String(text.dropFirst("Prefer: ".count))
        } else if "[{".contains(text.prefix(1)) {
          example.content = text
        }
      }
      return example
    }
  }

  @Test
  func `each request of the page finds or changes something`() throws {
    let file = try ModelFileParser(path: "model.yaml").parse(Self.block(of: "yaml"))
    let served = try Served(
      contentsOf: Self.block(of: "sql").components(separatedBy: ";\n"), isWritable: true,
      model: { try file.model(of: $0) })
    let examples = Self.examples
    #expect(examples.count >= 30)
    for example in examples {
      let url =
        example.url.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed)?
        .replacing("%2525", with: "%25") ?? ""
      let answer = served.send(
        example.method, url, example.content,
        headers: example.preference.map { ["Prefer": $0] } ?? [:])
      #expect(answer.hasPrefix("20"), "\(example.method) \(example.url): \(answer)")
      #expect(answer != "200 []", "\(example.method) \(example.url)")
    }
    #expect(served.text("/authors/1?fields=name") == #"{"name":"Herman"}"#)
    #expect(served.text("/books/1?fields=price,lent") == #"{"price":25.00,"lent":"[2026-01-01,2026-02-01)"}"#)
    #expect(served.text("/books?fields=n:count()") == #"[{"n":6}]"#)
  }
}
