/// A JSON document that a client sent (RFC 8259): what it says, and the bytes that say it.
struct JSONDocument {
  /// A value, and where it stands.
  struct Node {
    let content: Content
    /// Among the bytes of the document.
    let range: Range<Int>
  }

  enum Content {
    case null
    case boolean(Bool)
    /// As written: whether it is a whole number, and of which size, depends on who wants to know.
    case number
    case string(String)
    case array([Node])
    /// In the order of the members, whose names differ.
    case object([Member])
  }

  struct Member {
    let name: String
    let value: Node
  }

  let bytes: [UInt8]
  let root: Node

  /// A value as it was written.
  func text(of node: Node) -> String { String(decoding: bytes[node.range], as: UTF8.self) }
}

extension JSONDocument.Node {
  /// How deep arrays and objects are nested; 0 without any.
  var depth: Int {
    switch content {
    case .array(let values): (values.map(\.depth).max() ?? 0) + 1
    case .object(let members): (members.map(\.value.depth).max() ?? 0) + 1
    case .null, .boolean, .number, .string: 0
    }
  }
}
