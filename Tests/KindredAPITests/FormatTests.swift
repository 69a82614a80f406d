import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("format=")
struct FormatTests {
  @Test(arguments: [
    ("json", "application/json", nil), ("csv", "text/csv; charset=utf-8; header=present", "books.csv"),
    ("csv-bom", "text/csv; charset=utf-8; header=present", "books.csv"),
    ("ndjson", "application/x-ndjson", "books.ndjson"), ("html", "text/html; charset=utf-8", nil),
  ])
  func `it goes before Accept`(name: String, type: String, file: String?) throws {
    for parameter in ["format=\(name)", "%66ormat=\(name)"] {
      let answer = try Library.database().answer(
        "/authors/1/books?\(parameter)", headers: ["Accept": "image/png"])
      #expect(answer.status == 200)
      #expect(answer.headers["Content-Type"] == type)
      #expect(
        answer.headers["Content-Disposition"] == file.map { "attachment; filename=\"\($0)\"" })
    }
  }

  @Test
  func `CSV for Excel begins with a byte order mark, and nothing else does`() throws {
    let database = try Library.database()
    let plain = try database.answer("/books?fields=id,title&limit=2&format=csv").text
    #expect(plain.unicodeScalars.first == "i")
    let marked = "\u{FEFF}" + plain
    #expect(try database.answer("/books?fields=id,title&limit=2&format=csv-bom").text == marked)
    for (type, text) in [("text/csv", plain), ("text/csv;bom=false", plain), ("text/csv; bom=true", marked)] {
      #expect(try database.answer("/books?fields=id,title&limit=2", headers: ["Accept": type]).text == text)
    }
    // Two representations, so two tags.
    let tags = try ["csv", "csv-bom"].map { try database.answer("/books?format=\($0)").headers["ETag"] }
    #expect(tags[0] != tags[1])
  }

  @Test
  func `an unknown one is refused`() throws {
    try expectProblem(
      "/books?format=cvs", on: Library.database(), code: .invalidValue, parameter: "format", suggestion: "csv"
    )
  }

  @Test
  func `a file's name may be anything that a table may be called`() {
    #expect(
      ContentDisposition.attachment(named: "Bücher \"neu\".csv")
        == "attachment; filename=\"B_cher _neu_.csv\"; filename*=UTF-8''B%C3%BCcher%20%22neu%22.csv")
  }

  @Test
  func `lines and tables are the whole collection, and with a limit they have a next page`() throws {
    let database = try Library.largeDatabase()
    let all = try database.answer("/books?format=csv&fields=id")
    #expect(all.text.split(separator: "\r\n").count == 5001)
    #expect(all.headers["Link"] == nil)
    let page = try database.answer("/books?fields=id&limit=2", headers: ["Accept": "application/jsonl"])
    #expect(page.headers["Content-Type"] == "application/jsonl")
    #expect(page.text == "{\"id\":1}\n{\"id\":2}\n")
    #expect(page.headers["Link"]?.contains("rel=\"next\"") == true)
  }
}
