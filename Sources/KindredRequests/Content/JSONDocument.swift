/// A JSON document that a client sent (RFC 8259), with its bytes.
package struct JSONDocument {
  /// A value and its range.
  package struct Node {
    package let content: Content
    /// The range in the bytes of the document.
    package let range: Range<Int>
  }

  package enum Content {
    case null
    case boolean(Bool)
    /// A number, which is converted by its user, since the limits of integers depend on the use.
    case number
    case string(String)
    case array([Node])
    /// The members in order, with distinct names.
    case object([Member])
  }

  package struct Member {
    package let name: String
    package let value: Node
  }

  package let bytes: [UInt8]
  package let root: Node

  /// Returns a value as it was written.
  package func text(of node: Node) -> String { String(decoding: bytes[node.range], as: UTF8.self) }
}

extension JSONDocument.Node {
  /// How deeply arrays and objects are nested; 0 for a scalar.
  package var depth: Int {
    switch content {
    case .array(let values): (values.map(\.depth).max() ?? 0) + 1
    case .object(let members): (members.map(\.value.depth).max() ?? 0) + 1
    case .null, .boolean, .number, .string: 0
    }
  }
}
