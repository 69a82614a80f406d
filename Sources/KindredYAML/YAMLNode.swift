import Yams

/// A node of a YAML document (<https://yaml.org/spec/1.1/>) and its line.
///
/// Nodes are converted only when they are read, so nested aliases cost nothing unless they are used.
public struct YAMLNode {
  /// The line number, from 1; that of the enclosing node if the parser reports none.
  public let line: Int
  /// Whether it stands between `{` and `}`, or `[` and `]`, where a comma ends a plain scalar.
  public let isInFlow: Bool
  private let node: Node

  /// Parses a text, in which no key may contain an alias.
  ///
  /// - Returns: The root node; nil if the text is empty.
  /// - Throws: ``YAMLError``.
  public static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
    // An alias refers to an anchor.
    if text.utf8.contains(UInt8(ascii: "&")), text.utf8.contains(UInt8(ascii: "*")) {
      try AliasedKeys.refuse(in: text)
    }
    return try compose(text).map { YAMLNode($0, line: 1) }
  }

  static func compose(_ text: String) throws(YAMLError) -> Node? {
    do {
      return try Yams.compose(yaml: text)
    } catch {
      throw YAMLError(error)
    }
  }

  private init(_ node: Node, line: Int, isInFlow: Bool = false) {
    self.line = node.mark?.line ?? line
    self.isInFlow = isInFlow
    self.node = node
  }

  /// The text of a scalar; nil for other nodes.
  public var text: String? { node.scalar?.string }

  /// Whether it is a plain scalar: neither quoted nor a block.
  public var isPlain: Bool { node.scalar?.style == .plain }

  /// Whether it is null in any of its spellings, including a missing value.
  public var isNull: Bool { node.null != nil }

  /// Whether null is written out.
  public var saysNull: Bool { isNull && text != "" }

  /// The truth value of a scalar: `true`, `yes`, `on` and their opposites.
  public var truthValue: Bool? { node.bool }

  /// The items of a sequence; nil for other nodes.
  public var items: [YAMLNode]? {
    node.sequence.map { sequence in
      sequence.map { YAMLNode($0, line: line, isInFlow: isInFlow || sequence.style == .flow) }
    }
  }

  /// An entry of a mapping.
  public struct Entry {
    /// The key; nil if it isn't a scalar.
    public let key: String?
    /// The line of the key.
    public let line: Int
    /// The value.
    public let value: YAMLNode
  }

  /// The entries of a mapping in order; nil for other nodes.
  public var entries: [Entry]? {
    node.mapping.map { mapping in
      mapping.map { key, value in
        let keyLine = key.mark?.line ?? line
        let value = YAMLNode(value, line: keyLine, isInFlow: isInFlow || mapping.style == .flow)
        return Entry(key: key.scalar?.string, line: keyLine, value: value)
      }
    }
  }
}

/// The reason why a text isn't YAML.
public enum YAMLError: Error {
  /// The text violates YAML's grammar at a line and a column.
  case syntax(String, line: Int, column: Int)
  /// A mapping has a key more than once, first on this line; of several such keys, the first in alphabetical order.
  case repeatedKey(String, line: Int)
  /// The text can't be decoded; the line is nil if it is unknown.
  case unreadable(String, line: Int?)

  init(_ error: any Error) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self = .syntax(problem, line: mark.line, column: mark.column)
    case .duplicatedKeysInMapping(let keys, let context):
      self = .repeatedKey(keys.first ?? "", line: context.mark.line)
    case .reader(let problem, let offset, _, let yaml):
      self = .unreadable(problem, line: offset.map { yaml.prefix($0).count(where: \.isNewline) + 1 })
    default:
      self = .unreadable("\(error)", line: nil)
    }
  }
}
