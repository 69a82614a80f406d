import KindredHTTP

/// A log of the requests.
///
/// Apart from the log of messages: what is noted of each request is always the same, and may cost but a fraction of a
/// short answer.
public protocol RequestLog: Sendable {
  /// Notes a request, once the last byte of its answer has been made.
  func note(_ request: AnsweredRequest)
  /// Notes what was refused before it was a request.
  func noteRefusal(_ status: HTTPStatus)
}

/// What is noted of a request.
public struct AnsweredRequest: Sendable {
  /// What was to be done with it.
  public let method: HTTPMethod
  /// The path, as it was received, and so with bytes in it that no URL has.
  ///
  /// With the query and the values of keys by name only where they may be logged.
  public let path: Substring
  /// The same as a URL has it: no control character, space or quote in it can forge a line.
  public var encodedPath: String { URLCoding.encodeUnsafe(String(path)) }
  /// The trace that the request is a part of, as 32 hexadecimal digits (W3C Trace Context §3.2.2.3); nil without one.
  public let trace: String?
  /// How it went.
  public let status: HTTPStatus
  /// How many bytes the content has, as it was sent.
  public let byteCount: Int
  /// From the request to the last byte of its answer.
  public let nanoseconds: UInt64
  /// The client's address and port; nil where they aren't known.
  public let peer: String?
}

extension HTTPRequest {
  /// The path without what is given as values: of `/users/email=ann@example.org`, `/users/email=`.
  var pathWithoutValues: Substring {
    guard path.utf8.contains(UInt8(ascii: "=")) else { return path }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      segment.split(separator: ",", omittingEmptySubsequences: false)
        .map { part in part.firstIndex(of: "=").map { String(part[...$0]) } ?? String(part) }
        .joined(separator: ",")
    }
    return Substring(segments.joined(separator: "/"))
  }

  /// The trace that the request is a part of, by `traceparent` (W3C Trace Context §3.2).
  var trace: String? {
    headers.withBytes(of: "Traceparent") { field in
      // Version, trace, parent and flags; later versions may add more (§4.1).
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
