import TestSupport
import Testing

@Suite("The page for users of other tools is true")
struct ComparisonPageTests {
  @Test
  func `every URL of Kindred is answered`() async throws {
    let server = try ServerProcess(Program(directory: try TemporaryDirectory()), "--port", "0")
    var count = 0
    for row in try DocumentationPage("docs/from.md").text.split(separator: "\n") where row.hasPrefix("|") {
      for url in row.split(separator: "|").last?.matches(of: /`(\/[^`]*)`/) ?? [] {
        let answer = try await server.answer(String(url.1).encodedURL)
        #expect(answer.status == 200, "\(url.1): \(answer.body)")
        count += 1
      }
    }
    #expect(count > 40)
  }
}
