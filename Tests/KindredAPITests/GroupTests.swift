import KindredModel
import KindredPlanning
import Testing

@testable import KindredAPI

@Suite("Groups")
struct GroupTests {
  private let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `what is grouped by may be shown, sorted and tested however it is written`() throws {
    try expectRequest(
      "/books?fields=century:year/100,n:count()&group=year/100&having=year/100>17&sort=-year/100,count()",
      on: library, json: #"[{"century":19,"n":1},{"century":18,"n":4}]"#)
    try expectRequest(
      "/books?fields=century:year/100,n:count()&group=century&sort=-year/100", on: library,
      json: #"[{"century":19,"n":1},{"century":18,"n":4},{"century":null,"n":1}]"#)
  }

  @Test
  func `what a grouped primary key determines may be shown too`() throws {
    try expectRequest(
      "/books?fields=id,title,a:author.name,n:count()&group=id&limit=2&sort=title", on: library,
      json: #"[{"id":5,"title":"Beowulf","a":null,"n":1},{"id":4,"title":"Germinal","a":"Zola","n":1}]"#)
    try expectRequest(
      "/books?fields=a:author.name,n:count(),all:author.books.count&group=author.id", on: library,
      json: #"[{"a":null,"n":1,"all":0},{"a":"Melville","n":3,"all":3},{"a":"Zola","n":2,"all":2}]"#
    )
  }

  @Test(arguments: [
    ("/books?fields=title,n:count()&group=kind", "fields", 0),
    ("/books?fields=*,n:count()&group=kind", "fields", 0),
    ("/books?fields=kind,n:count()&group=kind&sort=-title", "sort", 1),
    ("/books?fields=kind,n:count()&group=kind&having=n>1 and title>'a'", "having", 8),
    ("/books?fields=kind,n:count()&group=kind&annotate=x:year", "annotate", 2),
    ("/books?fields=n:count()&having=year>1", "having", 0),
    ("/books?fields=kind,n:year/100,m:count()&group=kind,year/10", "fields", 7),
    ("/authors?include=books&books.fields=title,n:count()&books.group=kind", "books.fields", 0),
    ("/tags?include=books&books.fields=id,p:via.position,n:count()&books.group=id", "books.fields", 5),
    ("/authors?join=books&books.fields=kind,n:count()&books.group=kind&books.sort=title", "books.sort", 0),
  ])
  func `anything else that differs within a group is refused, at its place`(
    target: String, parameter: String, position: Int
  ) throws {
    try expectProblem(target, on: library, code: .invalidExpression, parameter: parameter, position: position)
  }

  @Test
  func `a plan with equal literals doesn't serve others`() throws {
    let target = "/books?fields=n:count()&group=year/100&having=year/100>17"
    #expect(try library.get(target).status == 200)
    #expect(try library.get(target.replacing("having=year/100", with: "having=year/10")).status == 400)
    #expect(try library.get(target).status == 200)
  }
}
