import KindredAssociations
import KindredHTTP

/// Links to pages of requests that are too long for a URL (§2 of the contract): `after` contains the request itself.
///
///     /books?after=~…
///
/// The request is compressed, sealed like a cursor, and bound to the path and the principal. If even that is too long
/// for a header field, the link names a request in the memory of this server; such a link is valid until the process
/// ends or many others have been stored.
struct LongRequests: Sendable {
  /// The prefix of values of `after` that contain a request; no cursor begins with it.
  private static let mark: Character = "~"
  /// The maximum length in bytes of a request that combines a link with other parameters.
  private static let maximumLength = 1 << 20
  private enum Kind {
    static let whole: UInt8 = 0
    static let held: UInt8 = 1
  }

  let cursors: CursorCoding
  private let held = HeldRequests()

  init(_ cursors: CursorCoding) { self.cursors = cursors }

  /// A query as links contain it.
  struct Compressed {
    fileprivate let bytes: [UInt8]
    /// The length of the query in bytes.
    fileprivate let length: Int

    /// Compresses a query without the parameters that identify the page; returns nil if memory is exhausted.
    init?(_ query: String) {
      let text = Array(query.utf8)
      guard let bytes = Deflation.deflate(text) else { return nil }
      self.bytes = bytes
      length = text.count
    }
  }

  /// Returns the URL of a page, or nil if it can't be sealed.
  ///
  /// - Parameters:
  ///   - place: The parameters that tell the page, such as `after=…`; empty for the first one.
  ///   - length: The largest length of a URL that contains the request; beyond it, the URL names the request.
  func target(
    path: Substring, query: Compressed, place: String, for standing: [UInt8], within length: Int
  ) -> String? {
    let deflated = query.bytes
    let start = Array(place.utf8)
    guard start.count <= UInt16.max else { return nil }
    var lengths = (0..<4).map { UInt8(truncatingIfNeeded: query.length >> (8 * $0)) }
    lengths += [UInt8(truncatingIfNeeded: start.count), UInt8(truncatingIfNeeded: start.count >> 8)]
    let associated = Self.associated(path, standing)
    func target(_ kind: UInt8, _ request: [UInt8]) -> String? {
      cursors.seal([kind] + lengths + start + request, with: associated).map {
        URLCoding.encodeUnsafe("\(path)?after=\(Self.mark)\($0)")
      }
    }
    if deflated.count < length, let whole = target(Kind.whole, deflated), whole.utf8.count <= length {
      return whole
    }
    return target(Kind.held, held.hold(deflated))
  }

  /// Returns the request that a URL stands for if its `after` contains one, or nil.
  ///
  /// - Throws: `RequestError` if the contained request isn't from this server.
  func expanded(_ request: HTTPRequest, for standing: [UInt8]) throws -> HTTPRequest? {
    guard let query = request.query, query.contains(byte: UInt8(ascii: "~")) else { return nil }
    var pairs = query.split(separator: "&")
    let prefix = "after=\(Self.mark)"
    guard let place = pairs.firstIndex(where: { $0.hasPrefix(prefix) }) else { return nil }
    let value = pairs.remove(at: place).dropFirst("after=".utf8.count + 1)
    guard !pairs.contains(where: { $0.hasPrefix(prefix) }) else {
      throw Self.refusal("a request has only one `after`; use the one in `Link`")
    }
    let held = try self.query(value, associated: Self.associated(request.path, standing))
    let rest = pairs.joined(separator: "&")
    // Otherwise, links to links would make requests of any length.
    guard rest.isEmpty || rest.utf8.count + held.utf8.count <= Self.maximumLength else {
      throw RequestError(
        .limitExceeded, "the link represents a whole request; leave out the other parameters",
        at: Origin(parameter: "after"))
    }
    var expanded = request
    expanded.target = "\(request.path)?\([held, rest].filter { !$0.isEmpty }.joined(separator: "&"))"
    return expanded
  }

  private static func refusal(_ message: String) -> RequestError {
    RequestError(.invalidValue, message, at: Origin(parameter: "after"))
  }

  private func query(_ value: Substring, associated: [UInt8]) throws -> String {
    let damaged = Self.refusal(
      "the link is damaged, or belongs to another path or another run of the server; use the one in `Link`")
    guard let bytes = cursors.open(String(value), with: associated), bytes.count >= 7 else { throw damaged }
    let length = bytes[1...4].reversed().reduce(0) { $0 << 8 | Int($1) }
    let start = Int(bytes[5]) | Int(bytes[6]) << 8
    guard bytes.count >= 7 + start else { throw damaged }
    var request: [UInt8]? = Array(bytes[(7 + start)...])
    if bytes[0] == Kind.held { request = request.flatMap(held.request) }
    guard let request else {
      throw Self.refusal(
        "the server no longer has the request of this link; send it again by QUERY, without `after`")
    }
    guard let text = Deflation.inflate(request, to: length) else { throw damaged }
    let query = String(decoding: text, as: UTF8.self)
    let place = String(decoding: bytes[7..<(7 + start)], as: UTF8.self)
    return place.isEmpty ? query : "\(query)&\(place)"
  }

  private static func associated(_ path: Substring, _ standing: [UInt8]) -> [UInt8] {
    Array("request \(path)\n".utf8) + standing
  }
}
