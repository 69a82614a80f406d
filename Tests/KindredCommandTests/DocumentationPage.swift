import Foundation
import TestSupport

/// A page of the documentation, in sections that begin with a heading.
struct DocumentationPage {
  struct Section {
    /// The statements of its first block of SQL, which make the database that its examples are about; nil for the
    /// sample library.
    var schema: String?
    /// The URLs between backquotes in its text.
    var urls: [String] = []
    var examples: [Example] = []
  }

  /// A request with the answer that the page shows.
  struct Example {
    var method = "GET"
    var url: String
    /// The header fields that are sent.
    var sent: [String: String] = [:]
    /// The content that is sent, on a separate line; nil without any.
    var sentContent: String?
    /// The first line of the answer is its status, followed by the code of its error if it has one.
    var status = 200
    var code: String?
    /// The header fields that are shown of the answer.
    var fields: [String: String] = [:]
    /// The content; empty if it isn't shown.
    var content = ""
  }

  let text: String

  /// - Parameter path: The page's path in the checkout.
  init(_ path: String) throws {
    text = try String(
      contentsOf: TemporaryDirectory.migrations.deletingLastPathComponent().appending(path: path),
      encoding: .utf8)
  }

  /// The blocks of code in a language, which is empty for none.
  func blocks(of language: String) -> [String] {
    Self.blocks(text).filter { $0.language == language }.map(\.text)
  }

  /// Returns the first cells of the rows of the table that begins with a header.
  ///
  /// - Parameter everywhere: Whether the rows of all tables with this header are returned.
  func cells(under header: String, everywhere: Bool = false) -> [String] {
    let tables = text.components(separatedBy: "\n\(header)\n").dropFirst()
    return (everywhere ? tables[...] : tables.prefix(1)).flatMap(firstCells)
  }

  private func firstCells(_ table: String) -> [String] {
    table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix {
      $0.hasPrefix("|")
    }
    .map { row in
      row.replacing("\\|", with: "\u{0}").split(separator: "|")[0].replacing("\u{0}", with: "|")
        .trimmingCharacters(in: .whitespaces)
    }
  }

  var sections: [Section] {
    text.split(separator: /(?m)^(?=##)/).map { part in
      let blocks = Self.blocks(part)
      return Section(
        schema: blocks.first { $0.language == "sql" && $0.text.contains("CREATE TABLE") }?.text,
        urls: part.replacing(Self.block, with: "").matches(of: /`(\/[^`]*)`/)
          .map { String($0.1).replacing("\\|", with: "|") },
        examples: blocks.filter { $0.language.isEmpty && Self.isRequest($0.text[...]) }.flatMap {
          examples($0.text)
        })
    }
  }

  private static var block: Regex<(Substring, Substring, Substring)> { /(?ms)^```(\w*)\n(.*?)^```$/ }

  private static func blocks(_ text: some StringProtocol) -> [(language: String, text: String)] {
    String(text).matches(of: block).map { (String($0.1), String($0.2)) }
  }

  private static func isRequest(_ text: Substring) -> Bool {
    text.prefixMatch(of: /(?:GET|HEAD|OPTIONS|QUERY) \//) != nil
  }

  private func examples(_ block: String) -> [Example] {
    var examples: [Example] = []
    var lines = block.split(separator: "\n")[...]
    func fields() -> [String: String] {
      var fields: [String: String] = [:]
      while let field = lines.first?.wholeMatch(of: /([A-Z][A-Za-z-]+): (.*)/) {
        fields[String(field.1)] = String(field.2)
        lines.removeFirst()
      }
      return fields
    }
    while let request = lines.popFirst() {
      let words = request.split(separator: " ", maxSplits: 1)
      var example = Example(method: String(words[0]), url: String(words[1]))
      example.sent = fields()
      if example.method == "QUERY" { example.sentContent = lines.popFirst().map(String.init) }
      if let status = lines.first?.wholeMatch(of: /(\d{3})(?: ([a-z-]+))?/) {
        example.status = Int(status.1) ?? 0
        example.code = status.2.map(String.init)
        lines.removeFirst()
        example.fields = fields()
      }
      let content = lines.prefix { !Self.isRequest($0) }
      example.content = content.joined(separator: "\n")
      lines = lines.dropFirst(content.count)
      examples.append(example)
    }
    return examples
  }
}

extension String {
  /// A URL as pages show it, with its spaces, quotes and other special characters encoded.
  var encodedURL: String {
    let special: Set<Unicode.Scalar> = [" ", "\"", "<", ">", "|", "^", "[", "]", "{", "}", "\\", "#", "'"]
    return unicodeScalars.map { scalar in
      scalar.isASCII && !special.contains(scalar)
        ? String(scalar) : String(scalar).utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
    }.joined()
  }
}
