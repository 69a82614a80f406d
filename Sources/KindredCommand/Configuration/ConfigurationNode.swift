import KindredAssociations
import KindredSQLSyntax
import Yams

/// A node of the configuration file's YAML, and where it stands.
struct ConfigurationNode {
  private let node: Node
  private let path: String
  /// As `access.jwt.algorithm`.
  private let key: String
  private let line: Int

  init(_ node: Node, in path: String, key: String, line: Int = 1) {
    self.node = node
    self.path = path
    self.key = key
    self.line = node.mark?.line ?? line
  }

  func error(_ message: String) -> ConfigurationError {
    ConfigurationError(place: "\(path):\(line)", message: "\(key): \(message)")
  }

  /// The members of a mapping; those without a value are left out.
  ///
  /// - Parameter names: those that there may be; nil for any.
  /// - Throws: `ConfigurationError` for another kind of node, and for other names.
  func members(_ names: [String]?) throws -> [(name: String, value: ConfigurationNode)] {
    if node.null != nil { return [] }
    guard let mapping = node.mapping else {
      throw error("it must be a mapping" + (names.map { " with members such as `\($0[0])`" } ?? ""))
    }
    return try mapping.compactMap { keyNode, value in
      guard let name = keyNode.scalar?.string else { throw error("a key must be a name") }
      let member = ConfigurationNode(value, in: path, key: "\(key).\(name)", line: keyNode.mark?.line ?? line)
      if let names, !names.contains(name) {
        throw member.error(
          "there is no such setting" + Suggestion.text(NameSuggestion.nearest(to: name, among: names)))
      }
      return value.null != nil ? nil : (name, member)
    }
  }

  /// The elements of a list; a single value is a list of one.
  func elements() throws -> [ConfigurationNode] {
    guard let sequence = node.sequence else { return [self] }
    return sequence.enumerated().map { ConfigurationNode($1, in: path, key: "\(key)[\($0)]", line: line) }
  }

  /// The text of a scalar.
  func text() throws -> String {
    guard let scalar = node.scalar, node.null == nil, !scalar.string.isEmpty else {
      throw error("it must be a text")
    }
    return scalar.string
  }

  /// The texts of a list, or one.
  func texts() throws -> [String] { try elements().map { try $0.text() } }

  /// The value of a scalar, by its form.
  func scalar() throws -> SQLValue {
    guard let scalar = node.scalar else { throw error("it must be a single value") }
    if node.null != nil { return .null }
    if scalar.style == .plain {
      if let value = Int64(scalar.string) { return .integer(value) }
      if let value = node.bool { return .integer(value ? 1 : 0) }
      if let value = Double(scalar.string) { return .real(value) }
    }
    return .text(scalar.string)
  }
}
