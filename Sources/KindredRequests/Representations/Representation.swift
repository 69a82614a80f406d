import KindredHTTP
import KindredOutput

/// The representation of a resource, before content coding and conditions are applied.
package struct Representation {
  package enum Content {
    case bytes([UInt8])
    case result([ResultPart])
    case stream(any HTTPBodyStream)
  }

  /// `Content-Type` and the other fields that describe the content, except its coding.
  package var headers: HTTPHeaders
  package var content: Content
  package var tag: ContentHash.Digest
  /// The precompressed content, if there is one; it only saves work, and decides nothing.
  package var compressed: [UInt8]?

  package init(headers: HTTPHeaders, content: Content, tag: ContentHash.Digest) {
    self.headers = headers
    self.content = content
    self.tag = tag
  }

  /// Creates a document of Kindred itself, tagged by the hash of its content.
  package init(_ type: String, _ bytes: [UInt8], cacheControl: String = Self.revalidation) {
    var hash = ContentHash()
    hash.update(type)
    bytes.withUnsafeBytes { hash.update($0) }
    self.init(type, bytes, cacheControl: cacheControl, tag: hash.finish())
  }

  /// Creates a document of Kindred itself with a known tag.
  package init(
    _ type: String, _ bytes: [UInt8], cacheControl: String = Self.revalidation, tag: ContentHash.Digest
  ) {
    self.init(headers: Self.headers(type, cacheControl: cacheControl), content: .bytes(bytes), tag: tag)
  }

  package init(_ document: JSONValue) { self.init(MediaType.json.rawValue, document.bytes) }

  /// Returns the fields that all representations have.
  package static func headers(_ type: String, cacheControl: String = Self.revalidation) -> HTTPHeaders {
    // `Vary` names every field that a representation may depend on (RFC 9110 §12.5.5).
    ["Content-Type": type, "Cache-Control": cacheControl, "Vary": "Accept, Accept-Encoding"]
  }

  /// Caches may store a response but must revalidate it before each use, because the database may change at any moment
  /// (RFC 9111 §5.2.2.4).
  static let revalidation = "no-cache"
  /// The length in bytes below which content gains nothing from compression.
  package static let longLength = 1024

  package var isLong: Bool {
    switch content {
    case .bytes(let bytes): bytes.count >= Self.longLength
    case .result(let parts): parts.byteCount >= Self.longLength
    case .stream: true
    }
  }

  /// Returns the response to a client: 304 if it has this content already, 412 if it requires other content.
  ///
  /// - Parameter compressionLevel: zlib's level; nil for no compression.
  package consuming func response(to request: HTTPRequest, compressionLevel: Int?) -> HTTPResponse {
    let coding = Self.coding(for: request, isLong: isLong, compressionLevel: compressionLevel)
    switch Preconditions(of: request).outcome(for: tag, coding: coding) {
    case .met: break
    case .failed:
      if case .stream(let stream) = content { stream.close() }
      return Problem.preconditionFailed.response
    case .held(let held):
      if case .stream(let stream) = content { stream.close() }
      return Self.notModified(held, headers: Self.withoutType(headers))
    }
    return unconditional(.ok, coding, level: compressionLevel)
  }

  /// Returns the response to a client whose conditions have been tested before.
  ///
  /// - Parameters:
  ///   - hasTag: Whether the content is what a GET returns.
  ///   - compressionLevel: zlib's level; nil for no compression.
  package consuming func response(
    _ status: HTTPStatus, to request: HTTPRequest, hasTag: Bool, compressionLevel: Int?
  ) -> HTTPResponse {
    let coding = Self.coding(for: request, isLong: isLong, compressionLevel: compressionLevel)
    return unconditional(status, coding, level: compressionLevel, hasTag: hasTag)
  }

  private consuming func unconditional(
    _ status: HTTPStatus, _ coding: ContentCoding, level: Int?, hasTag: Bool = true
  ) -> HTTPResponse {
    var response = HTTPResponse(status: status)
    // Moved, so that adding fields doesn't copy them.
    swap(&response.headers, &headers)
    encode(into: &response, coding, level: level, hasTag: hasTag)
    return response
  }

  /// Returns the coding of a response.
  package static func coding(for request: HTTPRequest, isLong: Bool, compressionLevel: Int?) -> ContentCoding
  {
    guard compressionLevel != nil else { return .identity }
    return ContentCoding.negotiate(request.headers.values(for: "Accept-Encoding"), isWorthIt: isLong)
  }

  /// Returns 304 with the fields that update a stored response (RFC 9110 §15.4.5).
  private static func notModified(_ tag: EntityTag, headers: HTTPHeaders) -> HTTPResponse {
    var headers = headers
    tag.append(to: &headers)
    return HTTPResponse(status: .notModified, headers: headers)
  }

  /// Returns 304 with the fields that all representations have, and others.
  package static func notModified(_ tag: EntityTag, with others: HTTPHeaders) -> HTTPResponse {
    var headers = ofNotModified
    headers.append(contentsOf: others)
    return notModified(tag, headers: headers)
  }

  private static let ofNotModified = withoutType(headers(""))

  private static func withoutType(_ headers: HTTPHeaders) -> HTTPHeaders {
    var headers = headers
    headers.remove("Content-Type")
    return headers
  }

  private func encode(
    into response: inout HTTPResponse, _ coding: ContentCoding, level: Int?, hasTag: Bool
  ) {
    var coding = coding
    func compress(_ bytes: @autoclosure () -> [UInt8]) {
      guard coding == .gzip, let level else { return }
      if let compressed = try? Gzip.compress(bytes(), level: level) {
        response.body = .bytes(compressed)
      } else {
        // Memory is exhausted, so send the content uncompressed.
        coding = .identity
      }
    }
    switch content {
    case .bytes(let bytes):
      response.body = .bytes(bytes)
      if coding == .gzip, let compressed { response.body = .bytes(compressed) } else { compress(bytes) }
    case .result(let parts):
      response.body = .stream(WholeBody(parts), length: parts.byteCount)
      compress(parts.joinedBytes)
    case .stream(let stream):
      let isCompressed = coding == .gzip
      response.body = .stream(isCompressed ? GzipBodyStream(stream, level: level ?? 1) : stream, length: nil)
    }
    if coding == .gzip { response.headers.append("Content-Encoding", "gzip") }
    if hasTag { EntityTag(digest: tag, coding: coding).append(to: &response.headers) }
  }
}

/// A complete result, sent from the memory that it was written to.
package final class WholeBody: HTTPBodyStream {
  /// The parts that haven't been sent, the next one last, after the one that is being sent.
  private var parts: [ResultPart]
  private var sent: ResultPart?

  package init(_ parts: [ResultPart]) { self.parts = parts.reversed() }

  /// Whether all parts have been returned.
  package var isAtEnd: Bool { parts.isEmpty }

  package func next() -> UnsafeRawBufferPointer? {
    sent = parts.popLast()
    return sent?.bytes
  }

  package func close() {}
}
