import Foundation

/// The samples that the guide's articles and the test files share.
///
/// A sample consists of the lines between `// Sample: name` and `// End`, without their indentation.
enum Samples {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()

  static let top = directory.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let catalogue = top.appending(path: "Sources/Kindred/Kindred.docc")

  /// Returns the text of an article, or of the README.
  static func article(_ name: String) throws -> String {
    let file = name == "README" ? top.appending(path: "README.md") : catalogue.appending(path: "\(name).md")
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// The articles of the catalogue.
  static func articles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: catalogue.path).filter { $0.hasSuffix(".md") }
      .map { String($0.dropLast(3)) }
  }

  /// Returns the code blocks of an article in a language, in order.
  static func blocks(of article: String, in language: String) throws -> [String] {
    let block = try Regex("(?ms)^```\(language)\\n(.*?)^```$", as: (Substring, Substring).self)
    return try self.article(article).matches(of: block).map { String($0.output.1) }
  }

  /// Returns the only code block of an article in a language.
  static func text(of article: String, block language: String) throws -> String? {
    try blocks(of: article, in: language).first
  }

  /// The samples of all files, by their text.
  static func compiled() throws -> Set<String> {
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    return try Set(
      files.filter { $0.hasSuffix(".swift") }.flatMap { file in
        try samples(in: String(contentsOf: directory.appending(path: file), encoding: .utf8))
      })
  }

  private static func samples(in source: String) -> [String] {
    var samples: [String] = []
    var open: [Substring]?
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " }
      if words.hasPrefix("// Sample: ") {
        open = []
      } else if words == "// End", let lines = open {
        samples.append(movedLeft(lines))
        open = nil
      } else {
        open?.append(line)
      }
    }
    return samples
  }

  private static func movedLeft(_ lines: [Substring]) -> String {
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) + "\n" }.joined()
  }
}
