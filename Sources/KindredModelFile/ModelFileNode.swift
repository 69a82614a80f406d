import KindredYAML

/// A node of a model file's YAML, with accessors that throw an error if it doesn't have the expected form.
struct ModelFileNode {
  typealias Located = ModelFile.Located

  /// The file, for error messages.
  let file: ModelFile
  /// The name of the node in error messages, such as `sort`.
  let name: String
  private let node: YAMLNode

  init(_ node: YAMLNode, in file: ModelFile, name: String) {
    self.node = node
    self.file = file
    self.name = name
  }

  var line: Int { node.line }

  func error(_ message: String) -> ModelFileError { file.error(line, message) }

  /// Whether it is written as `null`, which removes the inferred entry.
  ///
  /// A missing value doesn't count, so that an unfinished entry removes nothing.
  var isNull: Bool { node.saysNull }

  /// What to do about a text that ends too early, if a comma may have ended it; empty otherwise.
  var commaAdvice: String {
    node.isInFlow && node.isPlain
      ? "; inside `{ }` YAML ends a value at a comma, so put the whole expression in quotes" : ""
  }

  /// Returns the text of a scalar.
  func text(_ mend: String) throws -> Located<String> {
    guard let text = node.text, !isNull, !text.isEmpty else {
      throw error("\(name) must be a string; \(mend)")
    }
    return Located(text, line: line)
  }

  /// Returns the type of a parameter, which is one of the words of an enumeration.
  func parameterType<Kind: CaseIterable & RawRepresentable<String>>(_ mend: String) throws -> Kind {
    let text = try text(mend)
    let kinds = Kind.allCases.map(\.rawValue)
    guard let kind = Kind(rawValue: text.value) else {
      throw file.unknown(
        text, "\(name): there is no type `\(text.value)`; the types are \(kinds.joined(separator: ", "))",
        among: kinds)
    }
    return kind
  }

  /// Returns the value of a parameter, which may be an empty text.
  func parameterText(_ mend: String) throws -> ModelFile.ParameterText {
    if isNull { return .null }
    guard let text = node.text else { throw error("\(name) must be a value; \(mend)") }
    return .text(text)
  }

  /// Returns the texts of a sequence.
  func texts(_ mend: String) throws -> [Located<String>] {
    guard let items = node.items else { throw error("\(name) must be a list; \(mend)") }
    return try items.map { try ModelFileNode($0, in: file, name: "an item of \(name)").text(mend) }
  }

  /// Returns the entries of a section in order: none if its value is missing, as when all of them are commented out.
  func sectionEntries(_ mend: String) throws -> [(key: Located<String>, value: ModelFileNode)] {
    node.isNull && !node.saysNull ? [] : try entries(mend)
  }

  /// Returns the entries of a mapping in order.
  func entries(_ mend: String) throws -> [(key: Located<String>, value: ModelFileNode)] {
    guard let entries = node.entries else { throw error("\(name) must be a mapping; \(mend)") }
    return try entries.map { entry in
      guard let key = entry.key, !key.isEmpty else {
        throw file.error(entry.line, "an entry of \(name) has no name")
      }
      return (Located(key, line: entry.line), ModelFileNode(entry.value, in: file, name: "`\(key)`"))
    }
  }

  /// The items of a sequence; any other node is a sequence of itself.
  var elements: [ModelFileNode] {
    node.items.map { $0.map { ModelFileNode($0, in: file, name: name) } } ?? [self]
  }

  var isMapping: Bool { node.entries != nil }

  var isSequence: Bool { node.items != nil }
}
