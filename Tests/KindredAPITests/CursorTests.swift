import Foundation
import KindredAssociations
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Pages by cursor")
struct CursorTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  /// The records of all pages, following `next`.
  private func walk(_ target: String) throws -> [String] {
    var pages: [String] = []
    var next: String? = target
    while let target = next {
      let answer = try library.get(target)
      #expect(answer.status == 200)
      pages.append(answer.text)
      try #require(pages.count < 20, "the pages have no end")
      next = answer.headers["Link"].flatMap { Self.target(of: "next", in: $0) }
    }
    return pages
  }

  private static func target(of relation: String, in link: String) -> String? {
    guard let end = link.range(of: ">; rel=\"\(relation)\""),
      let start = link[..<end.lowerBound].lastIndex(of: "<")
    else { return nil }
    return String(link[link.index(after: start)..<end.lowerBound])
  }

  @Test(
    "the pages of any order are the list, cut",
    arguments: [
      "", "&sort=title", "&sort=-year", "&sort=year", "&sort=-year:nullsfirst,kind",
      "&sort=year:nullslast,-title",
      "&sort=kind,-price", "&sort=author.name", "&sort=-author.country.name:nocase,-title",
      "&sort=-length(title)",
      "&sort=-reviews.count", "&filter=kind='novel'&sort=price", "&sort=author.deathYear:nullslast",
    ])
  func pages(order: String) throws {
    let whole = try library.get("/books?fields=id\(order)").text
    for limit in 1...4 {
      let pages = try walk("/books?fields=id&limit=\(limit)\(order)")
      #expect("[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]" == whole)
    }
  }

  @Test("groups and equal results page the same way")
  func groups() throws {
    for target in [
      "/books?fields=kind,year&distinct=true&sort=-kind",
      "/books?fields=kind,n:count()&group=kind&sort=-count()",
      "/books?fields=year,n:count()&group=year&having=count()>0",
    ] {
      let whole = try library.get(target).text
      let pages = try walk("\(target)&limit=1")
      #expect("[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]" == whole)
    }
  }

  @Test("a page behind a cursor is ranges of the index")
  func ranges() throws {
    let database = try TestDatabase(
      Library.schema + "CREATE INDEX bookOnYear ON book(year);" + Library.records)
    let link = try #require(try database.get("/books?limit=2&sort=year&fields=id").headers["Link"])
    let next = try #require(Self.target(of: "next", in: link))
    try expectRequest(
      next, on: database,
      sql: #"""
        SELECT * FROM (SELECT "book"."id", "book"."year" FROM "book" WHERE "book"."year" = ?1 AND "book"."id" > ?2 \#
        ORDER BY "book"."year", "book"."id" LIMIT ?3 + 1) UNION ALL SELECT * FROM (SELECT "book"."id", "book"."year" \#
        FROM "book" WHERE "book"."year" > ?1 ORDER BY "book"."year", "book"."id" LIMIT ?3 + 1) LIMIT ?3 + ?4
        """#,
      json: #"[{"id":1},{"id":4}]"#)
    let plan = try database.get(next + "&explain=true").text
    #expect(plan.contains("SEARCH book USING COVERING INDEX bookOnYear (year=? AND rowid>?)"))
    #expect(!plan.contains("SCAN book"))
  }

  @Test("a cursor of another request, or a damaged one, is refused")
  func forged() throws {
    try expectProblem("/books?after=Zm9yZ2Vk!", on: library, code: .invalidValue, parameter: "after")
    let link = try #require(try library.get("/books?limit=2").headers["Link"])
    let next = try #require(Self.target(of: "next", in: link))
    try expectProblem(next + "&sort=title", on: library, code: .invalidValue, parameter: "after")
  }
}
