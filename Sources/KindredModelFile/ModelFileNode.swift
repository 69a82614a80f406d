import KindredYAML

/// A node of a model file's YAML, and what may be expected of it.
struct ModelFileNode {
  typealias Located = ModelFile.Located

  /// The file, which errors name.
  let file: ModelFile
  /// The name that errors use: `sort`, `the resource `authors``.
  let name: String
  private let node: YAMLNode

  init(_ node: YAMLNode, in file: ModelFile, name: String) {
    self.node = node
    self.file = file
    self.name = name
  }

  var line: Int { node.line }

  func error(_ message: String) -> ModelFileError { file.error(line, message) }

  /// Whether it is `null`, which removes; nothing at all is no `null`, so that an unfinished entry removes nothing.
  var isNull: Bool { node.saysNull }

  /// The text of a scalar.
  func text(_ mend: String) throws -> Located<String> {
    guard let text = node.text, !isNull, !text.isEmpty else {
      throw error("\(name) should be a text: \(mend)")
    }
    return Located(text, line: line)
  }

  /// The texts of a sequence.
  func texts(_ mend: String) throws -> [Located<String>] {
    guard let items = node.items else { throw error("\(name) should be a list: \(mend)") }
    return try items.map { try ModelFileNode($0, in: file, name: "an item of \(name)").text(mend) }
  }

  /// The entries of a mapping, in their order.
  func entries(_ mend: String) throws -> [(key: Located<String>, value: ModelFileNode)] {
    guard let entries = node.entries else { throw error("\(name) should be a mapping: \(mend)") }
    return try entries.map { entry in
      guard let key = entry.key, !key.isEmpty else {
        throw file.error(entry.line, "an entry of \(name) has no name")
      }
      return (Located(key, line: entry.line), ModelFileNode(entry.value, in: file, name: "`\(key)`"))
    }
  }

  /// The items of a sequence; anything else is one by itself.
  var elements: [ModelFileNode] {
    node.items.map { $0.map { ModelFileNode($0, in: file, name: name) } } ?? [self]
  }

  var isMapping: Bool { node.entries != nil }

  var isSequence: Bool { node.items != nil }
}
