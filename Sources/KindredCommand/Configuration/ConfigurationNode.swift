import KindredModel
import KindredSQLSyntax
import KindredYAML

/// A node of the configuration file's YAML, and its place.
struct ConfigurationNode {
  private let node: YAMLNode
  private let path: String
  /// The key with those above it, such as `access.jwt.algorithm`.
  private let key: String

  init(_ node: YAMLNode, in path: String, key: String) {
    self.node = node
    self.path = path
    self.key = key
  }

  func error(_ message: String) -> ConfigurationError {
    ConfigurationError(place: "\(path):\(node.line)", message: "\(key): \(message)")
  }

  /// Returns the members of a mapping, except those without a value.
  ///
  /// - Parameters:
  ///   - names: the allowed names; nil for any.
  ///   - mistakes: receives a `ConfigurationError` for each other name.
  ///   - elsewhere: names of settings of another file, with what is said about them.
  /// - Throws: `ConfigurationError` for another kind of node.
  func members(
    _ names: [String]?, _ mistakes: Mistakes, elsewhere: [(name: String, message: String)] = []
  ) throws -> [(name: String, value: ConfigurationNode)] {
    if node.isNull { return [] }
    guard let entries = node.entries else {
      throw error("it must be a mapping" + (names.map { " with members such as `\($0[0])`" } ?? ""))
    }
    return entries.compactMap { entry in
      guard let name = entry.key else {
        mistakes.add(error("a key must be a name"))
        return nil
      }
      let member = ConfigurationNode(entry.value, in: path, key: "\(key).\(name)")
      if let other = elsewhere.first(where: { $0.name == name }) {
        mistakes.add(member.error(other.message))
        return nil
      }
      if let names, !names.contains(name) {
        let nearest = NameSuggestion.nearest(to: name, among: names)
        mistakes.add(member.error("there is no such setting" + Suggestion.text(nearest)))
        return nil
      }
      return entry.value.isNull ? nil : (name, member)
    }
  }

  /// Returns the elements of a list; a single value counts as a list of one.
  func elements() throws -> [ConfigurationNode] {
    guard let items = node.items else { return [self] }
    return items.enumerated().map { ConfigurationNode($1, in: path, key: "\(key)[\($0)]") }
  }

  /// Returns the text of a scalar.
  func text() throws -> String {
    guard let text = node.text, !node.isNull, !text.isEmpty else {
      throw error("it must be a non-empty string")
    }
    return text
  }

  /// Returns the texts of a list or of a single value.
  func texts() throws -> [String] { try elements().map { try $0.text() } }

  /// Returns the value of a scalar, whose type follows from its form.
  func scalar() throws -> SQLValue {
    guard let text = node.text else { throw error("it must be a single value") }
    if node.isNull { return .null }
    if node.isPlain {
      if let value = Int64(text) { return .integer(value) }
      if let value = node.truthValue { return .integer(value ? 1 : 0) }
      // YAML 1.2, §10.3.2: to Swift, `nan`, `infinity` and `0x10` would be numbers, too.
      let isNumber = text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil
      if isNumber, let value = Double(text) { return .real(value) }
    }
    return .text(text)
  }
}

/// The suggestion of an error message.
enum Suggestion {
  /// Returns the end of an error message, such as "; did you mean `port`?", or the empty text without suggestions.
  static func text(_ nearest: [String]) -> String {
    guard let first = nearest.first else { return "" }
    return "; did you mean `\(first)`?"
  }
}
