import TestSupport
import Testing

@Suite("The pages for users of other tools are true")
struct ComparisonPageTests {
  @Test(arguments: [
    ("from", 10), ("from-hasura", 9), ("from-pocketbase", 8), ("from-directus", 8), ("from-datasette", 7),
    ("from-grdb", 9),
  ])
  func `every URL of Kindred is answered`(page: String, atLeast: Int) async throws {
    let server = try ServerProcess(Program(directory: try TemporaryDirectory()), "--port", "0")
    var count = 0
    for row in try DocumentationPage("docs/\(page).md").text.split(separator: "\n") where row.hasPrefix("|") {
      for url in row.split(separator: "|").last?.matches(of: /`(\/[^`]*)`/) ?? [] {
        let answer = try await server.answer(String(url.1).encodedURL)
        #expect(answer.status == 200, "\(url.1): \(answer.body)")
        count += 1
      }
    }
    #expect(count >= atLeast)
  }
}
