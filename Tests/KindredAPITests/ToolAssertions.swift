import Foundation
import Testing

@testable import KindredAPI

extension TestDatabase {
  /// Returns the document of a page as dictionaries and arrays.
  func document(
    _ target: String, status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Any {
    let answer = try get(target)
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    return try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
  }

  /// Returns the result of `/-/describe` for a URL.
  func description(
    of url: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    let document = try document("/-/describe?url=\(Self.escaped(url))", sourceLocation: sourceLocation)
    return try #require(document as? [String: Any], sourceLocation: sourceLocation)
  }

  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }
}

/// Asserts the completions of a URL.
///
/// - Parameters:
///   - marked: A URL with `‸` at the position.
///   - wanted: URLs that must be among the completions.
///   - unwanted: URLs that must not be among the completions.
func expectCompletions(
  of marked: String, on database: TestDatabase, make wanted: [String], butNot unwanted: [String] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let made = try completions(of: marked, on: database, sourceLocation: sourceLocation)
  for url in wanted { #expect(made.contains(url), "\(made.prefix(12))", sourceLocation: sourceLocation) }
  for url in unwanted { #expect(!made.contains(url), sourceLocation: sourceLocation) }
}

/// Returns the completed URLs in order.
func completions(
  of marked: String, on database: TestDatabase, sourceLocation: SourceLocation = #_sourceLocation
) throws -> [String] {
  let scalars = Array(marked.unicodeScalars)
  let position = try #require(scalars.firstIndex(of: "‸"), sourceLocation: sourceLocation)
  let url = Array(scalars[..<position] + scalars[(position + 1)...])
  func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
  let document = try database.document(
    "/-/complete?url=\(TestDatabase.escaped(text(url)))&position=\(position)", sourceLocation: sourceLocation)
  let items = try #require(document as? [[String: Any]], sourceLocation: sourceLocation)
  return try items.map { item in
    let item = (item["text"] as? String, item["from"] as? Int, item["to"] as? Int)
    let (insertion, from, to) = (
      try #require(item.0, sourceLocation: sourceLocation),
      try #require(item.1, sourceLocation: sourceLocation),
      try #require(item.2, sourceLocation: sourceLocation)
    )
    #expect(from <= position && position <= to && to <= url.count, sourceLocation: sourceLocation)
    return text(url[..<from]) + insertion + text(url[to...])
  }
}

/// Asserts the wrong words of a URL with their suggestions.
func expectErrors(
  in url: String, on database: TestDatabase, _ wanted: [(word: String, suggestion: String?)],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let scalars = Array(url.unicodeScalars)
  let errors = try #require(
    try database.description(of: url, sourceLocation: sourceLocation)["errors"] as? [[String: Any]],
    sourceLocation: sourceLocation)
  let words = errors.map { error in
    let (from, to) = (error["from"] as? Int ?? 0, error["to"] as? Int ?? 0)
    return String(String.UnicodeScalarView(scalars[from..<to]))
  }
  #expect(words == wanted.map(\.word), "\(errors)", sourceLocation: sourceLocation)
  for (error, wanted) in zip(errors, wanted) {
    #expect((error["suggestions"] as? [String])?.first == wanted.suggestion, sourceLocation: sourceLocation)
  }
}
