import CKindredZlib

/// An error of zlib.
public struct GzipError: Error, Hashable, Sendable {
  /// zlib's return code, such as `Z_MEM_ERROR`.
  public let code: Int32
}

/// zlib's compression state, writing gzip's format (RFC 1952).
final class GzipEncoder {
  /// A window of 15 bits; adding 16 selects gzip's header and trailer instead of zlib's.
  private static let windowBits: CInt = 15 + 16
  private static let memoryLevel: CInt = 8

  /// On the heap, because zlib's state points back at it.
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameter level: From 1 (fast) to 9 (small).
  init(level: Int) throws(GzipError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = deflateInit2_(
      stream, CInt(min(max(level, 1), 9)), Z_DEFLATED, Self.windowBits, Self.memoryLevel, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    guard result == Z_OK else {
      // All properties are set by now, so `deinit` runs and frees the stream.
      throw GzipError(code: result)
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// The continuation of the given input.
  enum Continuation {
    /// More of the content.
    case more
    /// More, but everything so far must reach the client now.
    case flush
    /// Nothing.
    case last
  }

  /// Compresses a prefix of `input` into `output`; unless more follows, also what zlib has held back.
  ///
  /// Returns how many bytes were read and written, and whether the content is complete.
  func encode(
    _ input: UnsafeRawBufferPointer, _ continuation: Continuation, into output: UnsafeMutableRawBufferPointer
  ) throws(GzipError) -> (read: Int, written: Int, isAtEnd: Bool) {
    // zlib counts in 32 bits; the rest is left to the next call.
    let available = UInt32(clamping: input.count)
    let room = UInt32(clamping: output.count)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    stream.pointee.avail_in = available
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = room
    let isWhole = Int(available) == input.count
    let mode =
      switch continuation {
      case .last where isWhole: Z_FINISH
      case .flush where isWhole: Z_SYNC_FLUSH
      case .more, .flush, .last: Z_NO_FLUSH
      }
    let result = deflate(stream, mode)
    // Z_BUF_ERROR means that no progress was possible, which is not an error here.
    guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
      throw GzipError(code: result)
    }
    return (
      Int(available - stream.pointee.avail_in), Int(room - stream.pointee.avail_out),
      result == Z_STREAM_END
    )
  }
}
