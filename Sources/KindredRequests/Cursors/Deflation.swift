import CKindredZlib

/// One-shot compression in zlib's format (RFC 1950).
enum Deflation {
  /// Returns the compressed bytes, or nil if memory is exhausted.
  static func deflate(_ bytes: [UInt8]) -> [UInt8]? {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard compress(&result, &length, bytes, uLong(bytes.count)) == Z_OK else { return nil }
    result.removeLast(result.count - Int(length))
    return result
  }

  /// Returns the bytes that ``deflate(_:)`` compressed, or nil if the input is invalid or the result isn't `count`
  /// bytes long.
  static func inflate(_ bytes: [UInt8], to count: Int) -> [UInt8]? {
    var length = uLong(count)
    var result = [UInt8](repeating: 0, count: count)
    guard uncompress(&result, &length, bytes, uLong(bytes.count)) == Z_OK, Int(length) == count else {
      return nil
    }
    return result
  }
}
