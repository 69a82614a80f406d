/// Decodes the chunked transfer coding (RFC 9112 §7.1), without I/O.
package struct ChunkedDecoder: Sendable {
  private enum State {
    case size
    case data(remaining: Int)
    case dataEnd
    case trailer
  }

  /// The largest number of digits in a chunk's size: more might not fit an `Int`, and leading zeros count too.
  private static let maxSizeDigits = 15

  private let limits: HTTPLimits
  private var state = State.size
  private var lines = LineScanner()
  /// The bytes of chunk extensions and trailer fields so far, limited to the length of a header.
  private var overhead = 0

  package init(limits: HTTPLimits) { self.limits = limits }

  /// Decodes `input` from `position` on and appends the content; returns where it stopped, and whether that is the end.
  ///
  /// - Parameters:
  ///   - taken: The number of content bytes that were decoded before and are no longer in `content`.
  ///   - maxLength: The largest length of the whole content in bytes.
  package mutating func decode(
    _ input: UnsafeRawBufferPointer, from position: Int, into content: inout [UInt8], taken: Int = 0,
    maxLength: Int
  ) throws(HTTPError) -> (position: Int, isAtEnd: Bool) {
    var position = position
    while true {
      switch state {
      case .data(let remaining):
        let count = min(remaining, input.count - position)
        content.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[position..<(position + count)]))
        position += count
        state = count == remaining ? .dataEnd : .data(remaining: remaining - count)
        guard count == remaining else { return (position, false) }
      case .size, .dataEnd, .trailer:
        let limit = limits.maxHeaderLength - overhead
        guard let line = try lines.next(in: input, from: position, limit: limit, tooLong: Self.tooLong) else {
          return (position, false)
        }
        position = line.endIndex + 2
        if try take(line, count: taken + content.count, of: maxLength) { return (position, true) }
      }
    }
  }

  private static let tooLong = HTTPError(
    .headersTooLarge, "The chunk extensions and trailer fields are longer than a header may be.")

  /// Processes a line that isn't data, and returns whether it was the last.
  private mutating func take(
    _ line: Slice<UnsafeRawBufferPointer>, count: Int, of maxLength: Int
  ) throws(HTTPError) -> Bool {
    switch state {
    case .size:
      let (size, extensions) = try size(line, maxLength: maxLength)
      overhead += extensions
      guard size <= maxLength - count else { throw .contentTooLarge(maxLength) }
      state = size == 0 ? .trailer : .data(remaining: size)
    case .dataEnd:
      guard line.isEmpty else { throw .malformed("A chunk is longer than its stated size.") }
      state = .size
    case .trailer:
      guard !line.isEmpty else { return true }
      overhead += line.count
      // RFC 9110 §6.5.1: trailer fields may be ignored, and must not be merged into the header.
      _ = try RequestHeadParser.field(line)
    case .data:
      break
    }
    return false
  }

  /// RFC 9112 §7.1: hexadecimal digits, then extensions, which MUST be ignored where not understood (§7.1.1).
  private func size(
    _ line: Slice<UnsafeRawBufferPointer>, maxLength: Int
  ) throws(HTTPError) -> (size: Int, extensionLength: Int) {
    let digits = line.prefix { $0.hexadecimalValue != nil }
    let rest = line[digits.endIndex...]
    let extensions = rest.trimmed
    guard (1...Self.maxSizeDigits).contains(digits.count), rest.isEmpty || extensions.first == .semicolon,
      extensions.allSatisfy(\.isFieldCharacter)
    else { throw .malformed("A chunk does not begin with its size.") }
    var size = 0
    for digit in digits.lazy.compactMap(\.hexadecimalValue) {
      size = size << 4 | Int(digit)
      // RFC 9112 §7.1: a recipient MUST anticipate large numbers and prevent overflow.
      guard size <= maxLength else { throw .contentTooLarge(maxLength) }
    }
    return (size, rest.count)
  }
}
