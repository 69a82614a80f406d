import Foundation
import Testing

@Suite("The specifications are held by tests")
struct SpecificationTests {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The sections that the page on HTTP names, such as `9112 §3.2`.
  private func sections() throws -> [String] {
    let page = try String(contentsOf: Self.top.appending(path: "docs/http.md"), encoding: .utf8)
    var sections: [String] = []
    var specification: Substring?
    for line in page.split(separator: "\n") {
      if let heading = line.wholeMatch(of: /## RFC (\d+).*/) { specification = heading.1 }
      if let specification, let row = line.firstMatch(of: /^\| (§[\d.]+) \|/) {
        sections.append("\(specification) \(row.1)")
      }
    }
    return sections
  }

  /// The sections in the names of tests and suites.
  private func tested() throws -> Set<String> {
    let tests = Self.top.appending(path: "Tests")
    var sections: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path)
    where path.hasSuffix("Tests.swift") && !path.contains(".build") {
      let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
      for name in text.matches(of: /@Suite\(\s*"([^"]*)"|func `([^`]*)`/) {
        var specification: Substring?
        for part in (name.1 ?? name.2 ?? "").matches(of: /RFC (\d+)|§\d+(?:\.\d+)*/) {
          if let number = part.1 {
            specification = number
          } else if let specification {
            sections.insert("\(specification) \(part.0)")
          }
        }
      }
    }
    return sections
  }

  @Test
  func `every section of RFC 9110 and RFC 9112 about the server is in the name of a test`() throws {
    let sections = try sections()
    #expect(sections.count > 50)
    #expect(Set(sections).subtracting(try tested()).sorted() == [])
  }
}
