import KindredModel
import KindredHTTP
import KindredRequests

/// A log of the requests.
///
/// It is separate from the log of messages: all entries have the same form, and an entry may cost only a fraction of a
/// short response.
public protocol RequestLog: Sendable {
  /// Logs a request once the last byte of its response has been generated.
  func note(_ request: AnsweredRequest)
  /// Logs the status of input that was refused before it was a complete request.
  ///
  /// - Parameter peer: The client's address and port; nil if unknown.
  func noteRefusal(_ status: HTTPStatus, peer: String?)
}

/// The entry of a request.
public struct AnsweredRequest: Sendable {
  /// The method.
  public let method: HTTPMethod
  /// The path as received, which may contain bytes that are invalid in URLs.
  ///
  /// It includes the query and the values of named keys only if these may be logged.
  public let path: Substring
  /// Calls `body` with the path, encoded for a URL, so that no control character, space or quote in it can forge a line.
  public func withEncodedPath(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    URLCoding.withUnsafeEncoded(path, body)
  }
  /// The trace that the request is part of, as 32 hexadecimal digits (W3C Trace Context §3.2.2.3), if any.
  public let trace: String?
  /// The status of the response.
  public let status: HTTPStatus
  /// The length of the response's content in bytes, as sent.
  public let byteCount: Int
  /// The time in nanoseconds from the request to the last byte of its response.
  public let nanoseconds: UInt64
  /// The client's address and port; nil if unknown.
  public let peer: String?
}

extension HTTPRequest {
  /// The path without the values of named keys: `/users/email=` for `/users/email=ann@example.org`.
  var pathWithoutValues: Substring {
    guard path.contains(byte: UInt8(ascii: "=")) else { return path }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      segment.split(separator: ",", omittingEmptySubsequences: false)
        .map { part in part.firstIndex(of: "=").map { String(part[...$0]) } ?? String(part) }
        .joined(separator: ",")
    }
    return Substring(segments.joined(separator: "/"))
  }

  /// The trace that the request is part of, according to `traceparent` (W3C Trace Context §3.2).
  var trace: String? {
    headers.withBytes(of: "Traceparent") { field in
      // Version, trace, parent and flags; later versions may append more (§4.1).
      let parts = field.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
      guard parts.count >= 4, [2, 32, 16, 2] == parts.prefix(4).map(\.count),
        parts.prefix(4).allSatisfy({ $0.allSatisfy(Self.isLowerHexDigit) }),
        !parts[0].elementsEqual("ff".utf8),
        parts.count == 4 || !parts[0].elementsEqual("00".utf8),
        parts[1...2].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } })
      else { return nil }
      return String(decoding: parts[1], as: UTF8.self)
    } ?? nil
  }

  private static func isLowerHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}
