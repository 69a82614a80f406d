import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Routes")
struct RouteTests {
  @Test(arguments: [
    ("/books", ["books"]), ("/books/", ["books"]), ("/books/7/author", ["books", "7", "author"]),
    ("/books//x", ["books", "", "x"]), ("/books//", ["books", ""]), ("//", [""]), ("/-", ["-"]),
    ("/-x/y", ["-x", "y"]), ("/é/a%20b", ["é", "a%20b"]),
  ])
  func `of records have the segments of the path`(path: String, segments: [String]) throws {
    #expect(try Route(path[...]) == .records(segments.map { $0[...] }))
  }

  @Test
  func `below a hyphen are pages of Kindred`() throws {
    #expect(try Route("/") == .index)
    #expect(try Route("/-/health") == .operations(.health))
    #expect(try Route("/-/health/") == .operations(.health))
    #expect(try Route("/-/openapi.json") == .operations(.openAPI))
    #expect(try Route("/-/batch") == .batch)
    #expect(try Route("/-/explorer/fonts/a.woff2") == .asset("fonts/a.woff2"))
    #expect(throws: RequestError.self) { try Route("/-/") }
    #expect(throws: RequestError.self) { try Route("/-/healthy") }
  }

  @Test
  func `a URL keeps the characters that it can contain`() {
    let kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*:@/?,;=+%"
    #expect(URLCoding.encodeUnsafe(kept) == kept)
    for byte in UInt8.min...0x7F where !kept.utf8.contains(byte) {
      #expect(URLCoding.encodeUnsafe(String(UnicodeScalar(byte))).count == 3)
    }
    URLCoding.withUnsafeEncoded("/é b") { #expect(String(decoding: $0, as: UTF8.self) == "/%C3%A9%20b") }
  }

  @Test
  func `an entity tag is written into a field as it is`() {
    let digest = ContentHash.Digest(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    #expect(digest.text == "0123456789abcdeffedcba9876543210")
    for coding in [ContentCoding.identity, .gzip] {
      var headers = HTTPHeaders()
      let tag = EntityTag(digest: digest, coding: coding)
      tag.append(to: &headers)
      #expect(headers["ETag"] == tag.field)
    }
  }
}
