import KindredSystem

/// Finds lines that end in CRLF, scanning no byte twice while a line is incomplete.
struct LineScanner: Sendable {
  /// The length of the incomplete line that is known to contain no LF.
  private(set) var scanned = 0

  /// Returns the next line from `position` on without its CRLF, or nil if it is incomplete.
  ///
  /// Throws `tooLong` for more than `limit` bytes, whether the line is complete or not, so that the result doesn't
  /// depend on how the bytes are split.
  mutating func next(
    in input: UnsafeRawBufferPointer, from position: Int, limit: Int, tooLong: @autoclosure () -> HTTPError
  ) throws(HTTPError) -> Slice<UnsafeRawBufferPointer>? {
    let start = position + scanned
    guard start < input.count, let base = input.baseAddress,
      let found = memchr(base + start, Int32(UInt8.lineFeed), input.count - start)
    else {
      scanned = input.count - position
      // Allow one more byte: a CR at the end may belong to the line's end.
      guard scanned - 1 <= limit else { throw tooLong() }
      return nil
    }
    scanned = 0
    let end = UnsafeRawPointer(found) - base
    guard end - position - 1 <= limit else { throw tooLong() }
    // RFC 9112 §2.2 lets a recipient accept a single LF, but parsing lines differently from a proxy in front enables
    // request smuggling.
    guard end > position, input[end - 1] == .carriageReturn else {
      throw .malformed("A line ends in LF without CR.")
    }
    return input[position..<(end - 1)]
  }
}
