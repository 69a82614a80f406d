import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Accept (RFC 9110 §12.4.2, §12.5.1)")
struct AcceptTests {
  @Test(
    arguments: [
      ([], MediaType.json),
      (["*/*"], .json),
      ([""], .json),
      (["application/json"], .json),
      (["text/csv"], .csv),
      (["TEXT/CSV"], .csv),
      (["application/x-ndjson"], .lines),
      (["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"], .html),
      (["text/csv;q=0.5, application/json"], .json),
      (["text/csv;q=0.5, application/json;q=0.4"], .csv),
      // With equal weights, the server's order decides.
      (["text/html, application/json"], .json),
      // The most specific range decides, wherever it is in the list.
      (["text/*, text/csv;q=0"], .html),
      (["application/json;q=0, */*"], .lines),
      (["*/*;q=0.1, text/*;q=0.2, text/html;q=0.3"], .html),
      // Several fields are one list (§5.3).
      (["text/html;q=0.3", "text/csv;q=0.7"], .csv),
      (["application/json; charset=utf-8"], .json),
      (["text/csv;header=present, application/json;q=0.9"], .csv),
      (["text/csv;bom=true"], .markedCSV),
      (["text/csv;header=present;bom=TRUE, text/csv;q=0.9"], .markedCSV),
      (["text/csv;bom=false"], .csv),
      // A comma in quotes is no separator, and no type has such a parameter.
      ([#"text/csv;x="a,b", text/html;q=0.1"#], .html),
      (["text/csv ; Q=0.5 , text/html ; q=0.6"], .html),
      // Malformed members are ignored.
      (["csv"], .json),
      (["text/csv;q=2, text/html;q=0.1"], .html),
      (["text/csv;q=0.5000"], .json),
      (["text/csv;q="], .json),
      ([",,text/csv,"], .csv),
      // Only those who name the profile get rows.
      (["application/x-ndjson;profile=rows"], .rows),
      (["application/ndjson; profile=\"rows\""], .rows),
      (["application/x-ndjson;profile=rows, application/x-ndjson;q=0.9"], .rows),
      (["application/json;q=0, application/x-ndjson;q=0, */*"], .jsonLines),
      (["text/event-stream;profile=rows"], .rowEvents),
    ] as [([String], MediaType)])
  func `chooses among the types`(accept: [String], type: MediaType) throws {
    #expect(try MediaType.negotiate(accept, among: MediaType.ofRecords) == type)
  }

  @Test(arguments: [
    "application/xml", "*/*;q=0", "application/json;q=0", "text/csv;version=2", "image/*",
    "application/x-ndjson;profile=columns", "text/csv;profile=rows",
  ])
  func `allows none of them`(accept: String) {
    #expect(throws: Problem.self) { try MediaType.negotiate([accept], among: MediaType.ofRecords) }
  }

  @Test
  func `a mistake in the request is the better news than its type`() throws {
    let library = try Library.database()
    for (target, status) in [("/nothing", 404), ("/books/99", 404), ("/books?limit=x", 400), ("/books", 406)]
    {
      let answer = try library.answer(target, headers: ["Accept": "image/png"])
      #expect(answer.status == status || target == "/books/99" && answer.status == 406, "\(target)")
      #expect(answer.headers["Content-Type"] == "application/problem+json")
    }
  }
}

@Suite("Accept-Encoding (RFC 9110 §12.5.3)")
struct AcceptEncodingTests {
  @Test(
    arguments: [
      ([], ContentCoding.identity),
      ([""], .identity),
      (["gzip"], .gzip),
      (["GZIP"], .gzip),
      (["x-gzip"], .gzip),
      (["br, gzip"], .gzip),
      (["br"], .identity),
      (["*"], .gzip),
      (["gzip;q=0"], .identity),
      (["gzip;q=0, *"], .identity),
      (["*;q=0"], .identity),
      (["gzip;q=0.5, identity;q=0.8"], .identity),
      (["gzip;q=0.8, identity;q=0.5"], .gzip),
      (["deflate", "gzip"], .gzip),
      (["gzip;q=often"], .identity),
    ] as [([String], ContentCoding)])
  func `chooses gzip where it is worth it`(fields: [String], coding: ContentCoding) {
    #expect(ContentCoding.negotiate(fields, isWorthIt: true) == coding)
  }

  @Test
  func `what is short is compressed only where the client refuses it as it is`() {
    #expect(ContentCoding.negotiate(["gzip"], isWorthIt: false) == .identity)
    #expect(ContentCoding.negotiate(["gzip, identity;q=0"], isWorthIt: false) == .gzip)
    #expect(ContentCoding.negotiate(["gzip, *;q=0"], isWorthIt: false) == .gzip)
  }
}

@Suite("Compression")
struct CompressionTests {
  @Test
  func `long answers are compressed, and say so`() throws {
    let library = try Library.largeDatabase()
    let plain = try library.answer("/books")
    let zipped = try library.answer("/books", headers: ["Accept-Encoding": "gzip"])
    #expect(plain.headers["Content-Encoding"] == nil)
    #expect(zipped.headers["Content-Encoding"] == "gzip")
    #expect(zipped.headers["Vary"] == "Accept, Accept-Encoding")
    #expect(zipped.bytes.count < plain.bytes.count / 4)
    #expect(try zipped.unzipped == plain.bytes)
  }

  @Test
  func `so are those that are sent as they are read`() throws {
    let library = try Library.longDatabase()
    let lines: (String, String) = ("Accept", "application/x-ndjson")
    let plain = try library.answer("/books", headers: [lines.0: lines.1])
    let zipped = try library.answer("/books", headers: [lines.0: lines.1, "Accept-Encoding": "gzip"])
    #expect(plain.bytes.count > 200_000)
    #expect(try zipped.unzipped == plain.bytes)
  }

  @Test
  func `short ones are not`() throws {
    let answer = try Library.database().answer("/books/1", headers: ["Accept-Encoding": "gzip"])
    #expect(answer.headers["Content-Encoding"] == nil)
    #expect(answer.text.hasPrefix("{\"id\":1"))
  }

  @Test
  func `it can be turned off`() throws {
    var options = KindredService.Options()
    options.compressionLevel = nil
    let answer = try Library.largeDatabase(options: options).answer(
      "/books", headers: ["Accept-Encoding": "gzip"])
    #expect(answer.headers["Content-Encoding"] == nil)
  }
}
