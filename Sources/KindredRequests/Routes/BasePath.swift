import KindredHTTP

/// What a proxy puts before every path of the service: `/library`.
///
/// Requests are served below it, and at the root as well, for proxies that remove it. Inside the service all paths begin
/// at the root; what clients see as a link begins with the base path.
public struct BasePath: Sendable, Hashable {
  /// The path without a slash at its end; empty for the root.
  public let text: String

  /// The root.
  public static let root = BasePath(text: "")

  private init(text: String) { self.text = text }

  /// Creates a base path; nil unless it consists of segments such as `/library/v1` that no URL writes otherwise.
  ///
  /// A slash at its end is ignored.
  public init?(_ text: String) {
    let path = text.utf8.last == UInt8(ascii: "/") ? text.dropLast() : text[...]
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    // What is below `/-/` is the service's own.
    guard segments.first == "", segments.dropFirst().first != "-",
      segments.dropFirst().allSatisfy({ segment in
        !["", ".", ".."].contains(segment) && segment.utf8.allSatisfy(Self.plain.contains)
      })
    else { return nil }
    self.text = String(path)
  }

  /// RFC 3986 §2.3: characters that are never escaped.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  /// Returns the request as one at the root.
  ///
  /// - Parameter request: Consumed, because most requests stay as they are, and a copy counts references to all parts.
  package func removed(from request: consuming HTTPRequest) -> HTTPRequest {
    guard !text.isEmpty, let target = removed(from: request.target) else { return request }
    request.target = target
    return request
  }

  /// Returns a path as one at the root.
  package func removed(from path: Substring) -> Substring {
    text.isEmpty ? path : removed(from: String(path)).map { $0[...] } ?? path
  }

  /// Returns a target below the base path as one at the root; nil for any other.
  package func removed(from target: String) -> String? {
    guard target.hasPrefix(text) else { return nil }
    let rest = target.dropFirst(text.count)
    return switch rest.utf8.first {
    case UInt8(ascii: "/"): String(rest)
    case nil, UInt8(ascii: "?"): "/\(rest)"
    default: nil
    }
  }

  /// Returns header fields with their links below the base path.
  package func added(to headers: HTTPHeaders) -> HTTPHeaders {
    guard !text.isEmpty else { return headers }
    var headers = headers
    if let location = headers["Location"] { headers.set("Location", text + location) }
    if let links = headers["Link"] { headers.set("Link", links.replacing("</", with: "<\(text)/")) }
    return headers
  }

  /// Returns a response with the links of its header fields, and that of a problem to its description, below the base
  /// path.
  package func added(to response: consuming HTTPResponse) -> HTTPResponse {
    guard !text.isEmpty else { return response }
    response.headers = added(to: response.headers)
    if response.headers["Content-Type"] == Problem.mediaType, case .bytes(let bytes) = response.body,
      bytes.starts(with: Problem.beginning)
    {
      // The description's path comes last in the beginning.
      let place = Problem.beginning.count - Problem.descriptions.utf8.count
      response.body = .bytes(bytes[..<place] + Array(text.utf8) + bytes[place...])
    }
    return response
  }
}
