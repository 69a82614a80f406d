import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Repeated parameters, and names that the request defines")
struct RepeatedParameterTests {
  private let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test(arguments: [
    ("/books?sort=kind&sort=-year&fields=id", "/books?sort=kind,-year&fields=id"),
    ("/books?fields=title&fields=&fields=id&limit=3", "/books?fields=title,id&limit=3"),
    (
      "/books?group=kind&group=authorId&fields=kind,n:count()",
      "/books?group=kind,authorId&fields=kind,n:count()"
    ),
    (
      "/authors?include=books&books.sort=kind&books.sort=-year",
      "/authors?include=books&books.sort=kind,-year"
    ),
    ("/books?kind=novel&kind=poem&fields=id", "/books?filter=kind in ('novel','poem')&fields=id"),
  ])
  func `lists add up`(repeated: String, once: String) throws {
    let answer = try library.get(repeated)
    #expect(answer.status == 200)
    #expect(try answer.text == library.get(once).text)
  }

  @Test(arguments: [
    ("/books?limit=1&limit=1", "limit"), ("/books?offset=1&offset=2", "offset"),
    ("/books?count=true&count=true", "count"),
    ("/books?distinct=true&distinct=false", "distinct"), ("/books?format=json&format=csv", "format"),
    ("/authors?include=books&books.limit=1&books.limit=2", "books.limit"),
    ("/authors?include=books&books.values=id&books.values=title", "books.values"),
  ])
  func `what takes one value has no second one`(target: String, parameter: String) throws {
    let answer = try library.answer(target)
    #expect(answer.status == 400)
    #expect(answer.problem("parameter") == parameter)
  }

  @Test
  func `a known plan accepts no second limit either`() throws {
    #expect(try library.get("/books?limit=1").status == 200)
    #expect(try library.get("/books?limit=1&limit=2").status == 400)
  }

  @Test
  func `a position counts in the value at fault`() throws {
    let answer = try library.answer("/books?sort=id&sort=title,yer")
    #expect(answer.problem("parameter") == "sort" && answer.problem("position") == "6")
  }

  @Test(arguments: [
    ("/books?fields=id,year:0-year&sort=year", "/books?fields=id,n:0-year&sort=n"),
    ("/books?fields=id,Year:0-year&sort=year", "/books?sort=year&fields=id,Year:0-year"),
    ("/books?fields=id,kind:title&sort=kind", "/books?fields=id,kind:title&sort=title"),
    (
      "/books?fields=kind,price:sum(price)&group=kind&having=price>20&sort=-price",
      "/books?fields=kind,price:sum(price)&group=kind&having=sum(price)>20&sort=-sum(price)"
    ),
    (
      "/authors?fields=id,name:books.count&having=name>1&sort=-name",
      "/authors?fields=id,name:books.count&having=books.count>1&sort=-books.count"
    ),
    (
      "/books?fields=kind,year:count()&group=kind&sort=-max(year)",
      "/books?fields=kind,n:count()&group=kind&sort=-max(year)"
    ),
  ])
  func `a name that the request defines goes before a column of that name`(
    named: String, plain: String
  ) throws {
    let answer = try library.get(named)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      try answer.text
        == library.get(plain).text.replacing("\"n\":", with: "\"year\":"))
  }
}
