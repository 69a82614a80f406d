import Foundation

/// A Swift file of the package.
struct SourceFile {
  /// The first folder below `Sources` or `Tests`.
  let module: String
  /// Below the top of the package.
  let path: String
  let lines: [Substring]

  /// Returns every file below a folder of the package, without what builds have left there.
  static func all(below folder: String = "Sources") throws -> [SourceFile] {
    // Tests/ArchitectureTests/SourceFile.swift
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: top.appending(path: folder).path)
    return try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.sorted().map { path in
      let text = try String(contentsOf: top.appending(path: "\(folder)/\(path)"), encoding: .utf8)
      return SourceFile(
        module: path.split(separator: "/").first.map(String.init) ?? "", path: "\(folder)/\(path)",
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  /// The modules that the file imports.
  var imports: [String] {
    let statement =
      /^\s*(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|fileprivate|private)\s+)*import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)/
    return lines.compactMap { line in line.firstMatch(of: statement).map { String($0.1) } }
  }

  /// The numbers of the lines that hold `text` before a comment.
  func lineNumbers(of text: String) -> [Int] {
    lines.indices.filter { index in
      let line = lines[index]
      return line[..<(line.firstRange(of: "//")?.lowerBound ?? line.endIndex)].contains(text)
    }.map { $0 + 1 }
  }

  /// The numbers of the lines where a test begins whose function has no sentence for a name: a raw identifier of
  /// several words.
  var testsWithoutSentences: [Int] {
    lines.indices.filter { index in
      guard lines[index].contains("@Test"), lines[index].firstMatch(of: /^\s*@Test\b/) != nil else {
        return false
      }
      let function = lines[index...].first { $0.firstMatch(of: /^\s*(?:@\w.*\s)?func\b/) != nil }
      return function?.firstMatch(of: /\bfunc `[^` ]+ [^`]+`/) == nil
    }.map { $0 + 1 }
  }

  /// The types that the file declares or extends, each with the number of its lines of code here: neither comments nor
  /// empty lines.
  var typeSizes: [(type: Substring, lines: Int)] {
    let beginning =
      /^(?:@\w+ |public |package |fileprivate |private |indirect |final )*(?:struct|class|enum|actor|protocol|extension) ([\w.]+)/
    var sizes: [(type: Substring, lines: Int)] = []
    var start: (type: Substring, line: Int)?
    for (number, line) in lines.enumerated() {
      if let match = line.firstMatch(of: beginning) { start = (match.1, number) }
      guard line.hasPrefix("}"), let (type, first) = start else { continue }
      let code = lines[first...number].filter { line in
        let text = line.drop { $0 == " " }
        return !text.isEmpty && !text.hasPrefix("//")
      }
      sizes.append((type, code.count))
      start = nil
    }
    return sizes
  }

  /// The types that the file declares as keys of what is kept, each with its stored properties and cases that have a
  /// text in them.
  var exactKeys: [(name: Substring, texts: [String])] {
    let declaration =
      /^( *)(?:@\w+ |public |package |fileprivate |private )*(?:struct|enum) (\w+):.*\bExactKey\b/
    return lines.indices.compactMap { index in
      guard let match = lines[index].firstMatch(of: declaration) else { return nil }
      let body = lines[(index + 1)...].prefix { $0 != match.1 + "}" }
      let texts = body.map { $0.drop { $0 == " " } }.filter { line in
        line.contains(
          /^(?:(?:fileprivate|private|package|public)(?:\(set\))? )?(?:let|var|case|indirect case) .*\b(?:String|Substring)\b/
        )
          && !line.contains(" {")
      }
      return (match.2, texts.map(String.init))
    }
  }
}
