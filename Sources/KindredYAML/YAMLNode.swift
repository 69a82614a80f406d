import Yams

/// A node of a YAML text (<https://yaml.org/spec/1.1/>), and the line on which it stands.
///
/// Nodes are looked at as they are walked over, so that aliases of aliases cost nothing unless they are read.
public struct YAMLNode {
  /// From 1; of a node that the parser gives no place, that of the node that it belongs to.
  public let line: Int
  private let node: Node

  /// Parses a text.
  ///
  /// - Returns: nil where nothing stands in it.
  /// - Throws: ``YAMLError``.
  public static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
    do {
      return try Yams.compose(yaml: text).map { YAMLNode($0, line: 1) }
    } catch {
      throw YAMLError(error)
    }
  }

  private init(_ node: Node, line: Int) {
    self.line = node.mark?.line ?? line
    self.node = node
  }

  /// The text of a scalar; nil for other nodes.
  public var text: String? { node.scalar?.string }

  /// Whether it is a scalar without quotes, and not a block.
  public var isPlain: Bool { node.scalar?.style == .plain }

  /// Whether it is `null` in any of its spellings, among them nothing at all.
  public var isNull: Bool { node.null != nil }

  /// Whether it says `null`, and not nothing at all.
  public var saysNull: Bool { isNull && text != "" }

  /// The truth value of a scalar: `true`, `yes`, `on` and their opposites.
  public var truthValue: Bool? { node.bool }

  /// The items of a sequence; nil for other nodes.
  public var items: [YAMLNode]? { node.sequence.map { $0.map { YAMLNode($0, line: line) } } }

  /// An entry of a mapping.
  public struct Entry {
    /// The key; nil where it is no scalar.
    public let key: String?
    /// The line of the key.
    public let line: Int
    /// What it has.
    public let value: YAMLNode
  }

  /// The entries of a mapping, in their order; nil for other nodes.
  public var entries: [Entry]? {
    node.mapping.map { mapping in
      mapping.map { key, value in
        let keyLine = key.mark?.line ?? line
        return Entry(key: key.scalar?.string, line: keyLine, value: YAMLNode(value, line: keyLine))
      }
    }
  }
}

/// Why a text is no YAML.
public enum YAMLError: Error {
  /// The text breaks a rule of YAML, at a line and a column.
  case syntax(String, line: Int, column: Int)
  /// Keys stand more than once in the mapping that begins on a line; they are sorted.
  case repeatedKeys([String], line: Int)
  /// The text can't be read, from a line on where that is known.
  case unreadable(String, line: Int?)

  init(_ error: any Error) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self = .syntax(problem, line: mark.line, column: mark.column)
    case .duplicatedKeysInMapping(let keys, let context):
      self = .repeatedKeys(keys.sorted(), line: context.mark.line)
    case .reader(let problem, let offset, _, let yaml):
      self = .unreadable(problem, line: offset.map { yaml.prefix($0).count(where: \.isNewline) + 1 })
    default:
      self = .unreadable("\(error)", line: nil)
    }
  }
}
