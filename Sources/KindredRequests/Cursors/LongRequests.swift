import KindredModel
import KindredCryptography
import KindredHTTP
import CKindredZlib

/// Links to pages of requests that are too long for a URL (docs/requests.md): `after` or `before` contains the request
/// itself.
///
///     /books?after=~…
///
/// The request is compressed, sealed like a cursor, and bound to the path and the principal. If even that is too long
/// for a header field, the link has only the place of the page and the digest of the request that it continues, and is
/// sent by QUERY with the same content.
package struct LongRequests: Sendable {
  /// The prefix of cursors that contain a request; no other cursor begins with it.
  private static let mark = UInt8(ascii: "~")
  /// The maximum length in bytes of a request that combines a link with other parameters.
  private static let maximumLength = 1 << 20
  private enum Kind {
    /// The place of the page and the compressed request.
    static let whole: UInt8 = 0
    /// The digest of the request without the parameters that tell the page, and the place of the page.
    static let place: UInt8 = 1
  }

  package let cursors: CursorCoding

  package init(_ cursors: CursorCoding) { self.cursors = cursors }

  /// A query as links contain it.
  package struct Compressed {
    fileprivate let bytes: [UInt8]
    /// The length of the query in bytes.
    fileprivate let length: Int

    /// Compresses a query without the parameters that identify the page; returns nil if memory is exhausted.
    package init?(_ query: String) {
      let text = Array(query.utf8)
      guard let bytes = Deflation.deflate(text) else { return nil }
      self.bytes = bytes
      length = text.count
    }
  }

  /// Returns the URL of a page that contains the request, or nil if it would be too long or can't be sealed.
  ///
  /// - Parameters:
  ///   - place: The parameters that tell the page, such as `after=…`; empty for the first one.
  ///   - parameter: The parameter that contains the request.
  ///   - length: The largest length of the URL.
  package func target(
    path: Substring, query: Compressed, place: String, in parameter: String = "after", for standing: [UInt8],
    within length: Int
  ) -> String? {
    let start = Array(place.utf8)
    guard start.count <= UInt16.max, query.bytes.count < length else { return nil }
    var lengths = (0..<4).map { UInt8(truncatingIfNeeded: query.length >> (8 * $0)) }
    lengths += [UInt8(truncatingIfNeeded: start.count), UInt8(truncatingIfNeeded: start.count >> 8)]
    let target = sealed([Kind.whole] + lengths + start + query.bytes, path, in: parameter, standing)
    return target.flatMap { $0.utf8.count <= length ? $0 : nil }
  }

  /// Returns the URL of a page for a QUERY with the same content, or nil if it can't be sealed.
  ///
  /// - Parameters:
  ///   - pairs: The parameters that aren't in the content.
  ///   - request: All parameters that the page continues, those of the content last.
  ///   - place: The parameters that tell the page, such as `after=…`; empty for the first one.
  ///   - parameter: The parameter that contains the place.
  package func target(
    path: Substring, beside pairs: [Substring], of request: [Substring], place: String, in parameter: String,
    for standing: [UInt8]
  ) -> String? {
    sealed([Kind.place] + Self.digest(of: request) + place.utf8, path, beside: pairs, in: parameter, standing)
  }

  /// The digest of parameters, whatever of them is escaped that need not be.
  private static func digest(of pairs: [Substring]) -> [UInt8] {
    let text = pairs.map { URLCoding.encodeUnsafe(String($0)) }.joined(separator: "&")
    return HashFunction.sha256.digest(of: Array(text.utf8))
  }

  private func sealed(
    _ bytes: [UInt8], _ path: Substring, beside pairs: [Substring] = [], in parameter: String,
    _ standing: [UInt8]
  ) -> String? {
    cursors.seal(bytes, with: Self.associated(path, parameter, standing)).map {
      let query = (pairs + ["\(parameter)=~\($0)"]).joined(separator: "&")
      return URLCoding.encodeUnsafe("\(path)?\(query)")
    }
  }

  /// Returns the parameters that a URL stands for if its cursor contains a request, or nil.
  ///
  /// - Throws: `RequestError` if the contained request isn't from this server.
  package func expanded(_ query: URLQuery, of path: Substring, for standing: [UInt8]) throws -> URLQuery? {
    func isLink(_ parameter: URLQuery.Parameter) -> Bool {
      query.isCursor(parameter) && query.value(parameter).utf8.first == Self.mark
    }
    guard let link = query.parameters.first(where: isLink) else { return nil }
    let parameter = query.isNamed(link, "before") ? "before" : "after"
    guard query.parameters.count(where: query.isCursor) == 1 else {
      throw Self.refusal("a request has only one cursor; use the one in `Link`", at: parameter)
    }
    let others = query.parameters.filter { $0.start != link.start }.map(query.pair)
    let whole = try self.query(
      query.value(link).dropFirst(), with: URLQuery(others.joined(separator: "&")[...]),
      of: parameter, associated: Self.associated(path, parameter, standing))
    var expanded = URLQuery(whole[...])
    expanded.content = query.content
    return expanded
  }

  private static func refusal(_ message: String, at parameter: String) -> RequestError {
    RequestError(.invalidValue, message, at: Origin(parameter: parameter))
  }

  /// Returns the query that a link stands for.
  ///
  /// - Parameters:
  ///   - others: The other parameters of the request.
  ///   - parameter: The name of the link's parameter.
  private func query(
    _ value: Substring, with others: URLQuery, of parameter: String, associated: [UInt8]
  ) throws -> String {
    let damaged = Self.refusal(
      "the link is damaged, or belongs to another path or another run of the server; use the one in `Link`",
      at: parameter)
    guard let bytes = cursors.open(String(value), with: associated), let kind = bytes.first else {
      throw damaged
    }
    guard kind == Kind.whole else {
      // The content still has the place of the first page.
      let kept = others.pairsOfAllPages
      let digest = Self.digest(of: kept)
      guard bytes.dropFirst().starts(with: digest) else {
        throw Self.refusal(
          "the link continues a long request; send it by QUERY with the same content", at: parameter)
      }
      let place = String(decoding: bytes.dropFirst(1 + digest.count), as: UTF8.self)
      return (place.isEmpty ? kept : kept + [place[...]]).joined(separator: "&")
    }
    guard bytes.count >= 7 else { throw damaged }
    let length = bytes[1...4].reversed().reduce(0) { $0 << 8 | Int($1) }
    let start = Int(bytes[5]) | Int(bytes[6]) << 8
    guard bytes.count >= 7 + start, let text = Deflation.inflate(Array(bytes[(7 + start)...]), to: length)
    else { throw damaged }
    let request = String(decoding: text, as: UTF8.self)
    // A QUERY with the same content says nothing new.
    let isRepeated =
      !others.pairsOfAllPages.isEmpty
      && QueryContent.has(
        URLQuery(others.pairsOfAllPages.joined(separator: "&")[...]), in: URLQuery(request[...]))
    let rest = isRepeated ? "" : others.text
    // Otherwise, links to links would make requests of any length.
    guard rest.isEmpty || rest.utf8.count + length <= Self.maximumLength else {
      throw RequestError(
        .limitExceeded, "the link represents a whole request; leave out the other parameters",
        at: Origin(parameter: parameter))
    }
    let place = String(decoding: bytes[7..<(7 + start)], as: UTF8.self)
    return [request[...], place[...], rest].filter { !$0.isEmpty }.joined(separator: "&")
  }

  private static func associated(_ path: Substring, _ parameter: String, _ standing: [UInt8]) -> [UInt8] {
    Array("\(parameter) \(path)\n".utf8) + standing
  }
}

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
