import KindredModel

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

  /// A document of no bytes.
  package static var empty: JSONDocument { JSONDocument(bytes: [], root: Node(content: .null, range: 0..<0)) }

  /// Returns a value as it was written.
  package func text(of node: Node) -> String { String(decoding: bytes[node.range], as: UTF8.self) }
}

extension JSONDocument.Node {
  /// Returns the member of an object.
  package subscript(name: String) -> JSONDocument.Node? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var string: String? {
    guard case .string(let text) = content else { return nil }
    return text
  }

  /// How deeply arrays and objects are nested; 0 for a scalar.
  package var depth: Int {
    switch content {
    case .array(let values): (values.map(\.depth).max() ?? 0) + 1
    case .object(let members): (members.map(\.value.depth).max() ?? 0) + 1
    case .null, .boolean, .number, .string: 0
    }
  }
}

extension JSONDocument {
  /// Returns whether both have equal values, however written: spaces, the order of members and the digits of numbers
  /// don't count.
  package func isEqual(to other: JSONDocument) -> Bool { isEqual(root, to: other.root, of: other) }

  private func isEqual(_ node: Node, to second: Node, of other: JSONDocument) -> Bool {
    switch (node.content, second.content) {
    case (.null, .null): return true
    case (.boolean(let value), .boolean(let otherValue)): return value == otherValue
    case (.string(let value), .string(let otherValue)): return value.utf8.elementsEqual(otherValue.utf8)
    case (.number, .number):
      let (text, otherText) = (text(of: node), other.text(of: second))
      return text == otherText || Double(text) == Double(otherText)
    case (.array(let values), .array(let others)):
      return values.count == others.count && zip(values, others).allSatisfy { isEqual($0, to: $1, of: other) }
    case (.object(let members), .object(let others)):
      let values = NameDictionary(others.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      return members.count == others.count
        && members.allSatisfy { member in
          values[member.name].map { isEqual(member.value, to: $0, of: other) } ?? false
        }
    default: return false
    }
  }
}
