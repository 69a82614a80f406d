import Yams

/// Refuses keys that contain aliases.
///
/// Yams hashes keys while it parses, and for that it follows aliases of lists of aliases of lists, which may take
/// exponential time. So the text is first parsed with plain scalars in place of its aliases.
enum AliasedKeys {
  /// Stands for an asterisk.
  ///
  /// Plain scalars never begin with an asterisk, so a scalar that begins with this is an alias.
  private static let asterisk = "\u{E000}"

  static func refuse(in text: String) throws(YAMLError) {
    if let root = try YAMLNode.compose(text.replacing("*", with: asterisk)) { try check(root) }
  }

  private static func check(_ node: Node) throws(YAMLError) {
    for item in node.sequence ?? [] { try check(item) }
    for (key, value) in node.mapping ?? [:] {
      if let alias = alias(in: key) { throw error(at: alias) }
      try check(value)
    }
    // In braces and brackets, `*a:b` is a key and its value.
    if isAlias(node), node.scalar?.string.contains(":") == true { throw error(at: node) }
  }

  /// Returns the first alias in a node.
  private static func alias(in node: Node) -> Node? {
    if isAlias(node) { return node }
    let nodes = node.sequence.map(Array.init) ?? node.mapping?.flatMap { [$0.key, $0.value] } ?? []
    return nodes.lazy.compactMap(alias).first
  }

  private static func isAlias(_ node: Node) -> Bool {
    guard let scalar = node.scalar else { return false }
    return scalar.style == .plain && scalar.string.hasPrefix(asterisk)
  }

  private static func error(at node: Node) -> YAMLError {
    .syntax("a key can't contain an alias", line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }
}
