import KindredHTTP

/// Fetches small documents over HTTP, such as the keys of an identity provider.
///
/// For an `https` URL, the certificate must be valid for the host, according to the authorities that the system trusts
/// (`SSL_CERT_FILE` names others).
/// Redirections are not followed.
public enum HTTPClient {
  /// Returns the content of an `http` or `https` URL.
  ///
  /// - Parameters:
  ///   - token: A bearer token (RFC 6750 §2.1), if the server needs one.
  ///   - timeout: The time in seconds from the connection to the end of the content, not counting the resolution of the
  ///     host's name.
  ///   - maximumLength: The largest length of the content in bytes.
  /// - Throws: `HTTPClientError`
  public static func get(
    _ url: String, token: String? = nil, timeout: Double, maximumLength: Int
  ) throws -> [UInt8] {
    let target = try HTTPTarget(url)
    // It would otherwise be another field.
    guard token?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) ?? true else {
      throw HTTPClientError("the token isn't one that a header field can have")
    }
    let connection = try ClientConnection(target, timeout: timeout)
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    try connection.write(
      "GET \(target.path) HTTP/1.1\r\nHost: \(target.authority)\r\nAccept: application/json\r\nUser-Agent: kindred\r\n\(authorization)Connection: close\r\n\r\n"
    )
    // The header and the framing may add as much as a request's header may have.
    let limits = HTTPLimits()
    let answer = try connection.readToEnd(maximumLength: maximumLength + limits.maxHeaderLength)
    return try content(of: answer, limits, maximumLength)
  }

  /// Returns the content of a complete response (RFC 9112 §6.3).
  static func content(of answer: [UInt8], _ limits: HTTPLimits, _ maximumLength: Int) throws -> [UInt8] {
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw HTTPClientError("the response ends within its header")
    }
    let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ") ?? []
    guard status.count >= 2, status[0].hasPrefix("HTTP/1."), status[1] == "200" else {
      throw HTTPClientError(
        "the response has the status `\(status.dropFirst().joined(separator: " "))`, not 200")
    }
    func field(_ name: String) -> String? {
      lines.dropFirst().lazy.compactMap { line -> String? in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == name else { return nil }
        return parts[1].drop { $0 == " " }.lowercased()
      }.first
    }
    let content = Array(answer[end.upperBound...])
    if field("transfer-encoding")?.hasSuffix("chunked") ?? false {
      var decoder = ChunkedDecoder(limits: limits)
      var decoded: [UInt8] = []
      let isAtEnd = try content.withUnsafeBytes {
        try decoder.decode($0, from: 0, into: &decoded, maxLength: maximumLength).isAtEnd
      }
      guard isAtEnd else { throw HTTPClientError("the response ends within a chunk") }
      return decoded
    }
    if let length = field("content-length").flatMap({ Int($0) }), length != content.count {
      throw HTTPClientError("the response ends before the end of its content")
    }
    return content
  }
}

/// Why a document can't be fetched.
public struct HTTPClientError: Error, CustomStringConvertible {
  /// A clause that names the reason.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The parts of an `http` or `https` URL (RFC 3986 §3).
struct HTTPTarget {
  /// Whether the scheme is `https`.
  let isSecure: Bool
  let authority: String
  let host: String
  let port: String
  let path: String

  init(_ url: String) throws(HTTPClientError) {
    let start = url.lowercased()
    guard let scheme = ["https://", "http://"].first(where: start.hasPrefix),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw HTTPClientError("it is not an http or https URL") }
    isSecure = scheme == "https://"
    let rest = url.dropFirst(scheme.count).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count)
    self.authority = String(authority)
    self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = String(authority[authority.index(after: authority.startIndex)..<end])
      port = String(authority[authority.index(after: end)...].drop { $0 == ":" })
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      host = String(parts.first ?? "")
      port = parts.count > 1 ? String(parts[1]) : ""
    }
    guard !host.isEmpty, !authority.contains("@"), port.isEmpty || UInt16(port) != nil else {
      throw HTTPClientError("it is not an http or https URL")
    }
  }
}
