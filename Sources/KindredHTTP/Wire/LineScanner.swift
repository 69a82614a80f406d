#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds lines that end in CRLF, and looks at no byte twice while a line is not complete.
struct LineScanner: Sendable {
  /// How much of the unfinished line is known to hold no LF.
  private(set) var scanned = 0

  /// The next line from `position` on, without its CRLF, or nil while it isn't complete.
  ///
  /// Throws `tooLong` for more than `limit` bytes, complete or not, so that the result does not depend on how
  /// the bytes came in.
  mutating func next(
    in input: UnsafeRawBufferPointer, from position: Int, limit: Int, tooLong: @autoclosure () -> HTTPError
  ) throws(HTTPError) -> Slice<UnsafeRawBufferPointer>? {
    let start = position + scanned
    guard start < input.count, let base = input.baseAddress,
      let found = memchr(base + start, Int32(UInt8.lineFeed), input.count - start)
    else {
      scanned = input.count - position
      // One more: a CR at the end belongs to the line's end.
      guard scanned - 1 <= limit else { throw tooLong() }
      return nil
    }
    scanned = 0
    let end = UnsafeRawPointer(found) - base
    guard end - position - 1 <= limit else { throw tooLong() }
    // RFC 9112 §2.2 lets a recipient take a single LF; reading lines otherwise than a proxy in front does is
    // how requests are smuggled.
    guard end > position, input[end - 1] == .carriageReturn else {
      throw HTTPError(.malformedRequest, "A line ends in LF without CR.")
    }
    return input[position..<(end - 1)]
  }
}
