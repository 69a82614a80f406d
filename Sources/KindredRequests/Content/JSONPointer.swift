import KindredModel

/// A position in a JSON document (RFC 6901), as problems report it (RFC 9457 §3.1).
package struct JSONPointer: Sendable {
  package enum Token: Sendable {
    case name(String)
    case index(Int)
  }

  private var tokens: [Token] = []

  /// Creates the position of the whole document.
  package init() {}

  package static func + (pointer: JSONPointer, name: String) -> JSONPointer { pointer.appending(.name(name)) }

  package static func + (pointer: JSONPointer, index: Int) -> JSONPointer { pointer.appending(.index(index)) }

  /// Whether it is the position of the whole document.
  package var isRoot: Bool { tokens.isEmpty }

  private func appending(_ token: Token) -> JSONPointer {
    var pointer = self
    pointer.tokens.append(token)
    return pointer
  }

  /// The pointer as a URL fragment (§6), such as `#/books/0/title`.
  package var fragment: String {
    tokens.reduce(into: "#") { text, token in
      switch token {
      case .index(let index): text += "/\(index)"
      case .name(let name):
        let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
        text += "/" + URLCoding.encodeSegment(escaped)
      }
    }
  }
}
