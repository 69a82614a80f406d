import CKindredZlib

/// Bytes in zlib's format (RFC 1950), all at once.
public enum Deflation {
  /// Returns the bytes in fewer, where they have patterns; nil where there is no memory.
  public static func deflate(_ bytes: [UInt8]) -> [UInt8]? {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard compress2(&result, &length, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
      return nil
    }
    result.removeLast(result.count - Int(length))
    return result
  }

  /// Returns what ``deflate(_:)`` was given; nil where it was something else, or was not of `count` bytes.
  public static func inflate(_ bytes: [UInt8], to count: Int) -> [UInt8]? {
    var length = uLong(count)
    var result = [UInt8](repeating: 0, count: count)
    guard uncompress(&result, &length, bytes, uLong(bytes.count)) == Z_OK, Int(length) == count else {
      return nil
    }
    return result
  }
}
