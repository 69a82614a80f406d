/// The kind of a value, which its cell names as `data-kind`; that of a text is not written.
package enum CellKind {
  case text, number, boolean, null, bytes

  fileprivate var attribute: StaticString {
    switch self {
    case .text: ""
    case .number: " data-kind=\"number\""
    case .boolean: " data-kind=\"boolean\""
    case .null: " data-kind=\"null\""
    case .bytes: " data-kind=\"bytes\""
    }
  }
}

/// Values on pages. A page shows the beginning of a long value and links to the whole, so that a page stays small
/// whatever the database holds.
extension OutputBuffer {
  /// Appends the end of the start tag of a value's element.
  package mutating func append(endOfStartTag kind: CellKind) {
    append(kind.attribute)
    append(">")
  }

  /// The number of bytes that are shown of a longer text.
  package static let shownText = 4096
  /// The number of bytes that are shown of a longer BLOB; a multiple of three for base64.
  package static let shownBytes = 48

  /// Appends a text, or its beginning.
  package mutating func append(beginningOfHTML text: UnsafeRawBufferPointer) {
    guard text.count > Self.shownText else { return append(html: text) }
    append(html: text, to: Self.shownText)
    append("…")
  }

  /// Appends bytes, or their beginning.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, or at least the first ``shownBytes`` of them.
  ///   - count: How many bytes there are in all.
  package mutating func append(beginningOfBase64 bytes: UnsafeRawBufferPointer, of count: Int) {
    guard count > Self.shownBytes else { return append(bareBase64: bytes) }
    append(bareBase64: UnsafeRawBufferPointer(rebasing: bytes[..<Self.shownBytes]))
    append("…")
  }

  /// Appends the length of a value of which only the beginning is shown.
  package mutating func append(length count: Int) {
    append(" <small>")
    append(Int64(count))
    append(" bytes</small>")
  }
}
