import Yams

/// A node of a model file's YAML, and what may be expected of it.
struct ModelFileNode {
  typealias Located = ModelFile.Located

  /// The file, which errors name.
  let file: ModelFile
  /// The name that errors use: `sort`, `the resource `authors``.
  let name: String
  private let node: Node
  private let fallbackLine: Int

  init(_ node: Node, in file: ModelFile, name: String, fallbackLine: Int = 1) {
    self.node = node
    self.file = file
    self.name = name
    self.fallbackLine = fallbackLine
  }

  var line: Int { node.mark?.line ?? fallbackLine }

  func error(_ message: String) -> ModelFileError { file.error(line, message) }

  /// Whether it is `null`, which removes; nothing at all is no `null`, so that an unfinished entry removes nothing.
  var isNull: Bool {
    guard let scalar = node.scalar, scalar.style == .plain else { return false }
    return ["null", "Null", "NULL", "~"].contains(scalar.string)
  }

  /// The text of a scalar.
  func text(_ mend: String) throws -> Located<String> {
    guard let scalar = node.scalar, !isNull, !scalar.string.isEmpty else {
      throw error("\(name) should be a text: \(mend)")
    }
    return Located(scalar.string, line: line)
  }

  /// The texts of a sequence.
  func texts(_ mend: String) throws -> [Located<String>] {
    guard let sequence = node.sequence else { throw error("\(name) should be a list: \(mend)") }
    return try sequence.map { item in
      try ModelFileNode(item, in: file, name: "an item of \(name)", fallbackLine: line).text(mend)
    }
  }

  /// The entries of a mapping, in their order.
  func entries(_ mend: String) throws -> [(key: Located<String>, value: ModelFileNode)] {
    guard let mapping = node.mapping else { throw error("\(name) should be a mapping: \(mend)") }
    return try mapping.map { key, value in
      let keyLine = key.mark?.line ?? line
      guard let key = key.scalar?.string, !key.isEmpty else {
        throw file.error(keyLine, "an entry of \(name) has no name")
      }
      return (
        Located(key, line: keyLine),
        ModelFileNode(value, in: file, name: "`\(key)`", fallbackLine: keyLine)
      )
    }
  }

  /// The items of a sequence; anything else is one by itself.
  var elements: [ModelFileNode] {
    guard let sequence = node.sequence else { return [self] }
    return sequence.map { ModelFileNode($0, in: file, name: name, fallbackLine: line) }
  }

  var isMapping: Bool { node.mapping != nil }

  var isSequence: Bool { node.sequence != nil }
}
