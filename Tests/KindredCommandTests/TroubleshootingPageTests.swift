import Foundation
import TestSupport
import Testing

@Suite("The page of troubles is true")
struct TroubleshootingPageTests {
  @Test
  func `every message that the page explains is one of the program's`() throws {
    let page = try DocumentationPage("docs/troubleshooting.md")
    let sources = TemporaryDirectory.migrations.deletingLastPathComponent().appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    let text = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined()
    // The first text between backquotes of each row; names in capitals, and `…`, stand for what differs.
    let messages = page.cells(under: "| message | cause and fix |", everywhere: true)
      .compactMap { $0.firstMatch(of: /`([^`]+)`/).map { String($0.1) } }
      .flatMap {
        $0.split(separator: /…|NAME|FILE:LINE: |\?/).map {
          $0.trimmingCharacters(in: .whitespaces)
        }
      }
      .filter { $0.count > 5 }
    #expect(messages.count > 15)
    for message in messages {
      let isThere = text.contains(message)
      #expect(isThere, "\(message)")
    }
  }
}
