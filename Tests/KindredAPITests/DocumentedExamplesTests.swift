import Foundation
import KindredMigrations
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("The documented examples, on the sample library")
struct DocumentedExamplesTests {
  let library: TestDatabase

  init() throws {
    library = try TestDatabase("")
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    try library.pool.withWriter { connection in
      _ = try Migrator(directory: root.appending(path: "Migrations").path).migrate(connection)
    }
  }

  @Test(arguments: [
    "/authors?include=books&annotate=bookCount", "/authors/1/books", "/authors/1/books/7",
    "/authors/1/books/7/reviews",
    "/books/7/author/country", "/citizenships/12,FR", "/citizenships/citizenId=12,countryCode=FR",
    "/countries/name=France",
    "/authors?filter=countryCode='FR'&include=books.reviews&books.filter=kind='novel'&books.sort=-year&books.limit=3&books.reviews.fields=rating",
    "/books?join=author&include=author.country", "/books?include=author!.country",
    "/books?include=author.country!",
    "/books?fields=kind,n:count(),last:max(year)&group=kind",
    "/authors?include=novels:books,poems:books&novels.filter=kind='novel'&poems.filter=kind='poem'",
    "/authors?include=novels:books,novels.reviews",
    "/employees?filter=reportsTo is null&include=subordinates:employeesByReportsTo*",
    "/authors?include=bookTitles:books&bookTitles.values=title", "/countries?include=passports,citizens",
    "/authors?include=books&books.filter=year>../deathYear", "/authors?having=books.count>paintings.count",
    "/authors?annotate=workCount:books.count%2Bpaintings.count",
    "/authors?annotate=first:ifnull(books.min(year),0)",
    "/authors?include=books&books.limit=3&annotate=bookCount",
    "/authors?annotate=numberOfBooks:books.count,maxBookYear,hasNoBook,averageBookPrice,books.sum(pages)",
    "/books?annotate=authorName:author.name", "/books?filter=author.books.count>3",
    "/playlists/1?include=tracks&tracks.fields=*,position:via.position", "/books?search=sea",
  ])
  func `each is answered, every associated record being found by an index`(target: String) throws {
    let answer = try library.get(target)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.text.count > 2, "nothing is found")
    let explained = try library.get(target + (target.contains("?") ? "&" : "?") + "explain=true").text
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(explained.utf8)) as? [String: Any])
    // The first three of each author's, by year, are sorted.
    let isSorted = target.contains("books.sort=-year&books.limit=3")
    #expect(
      document["missingIndexes"] as? [String]
        == (isSorted
          ? [#"CREATE INDEX "book_on_authorId_kind_year" ON "book" ("authorId", "kind", "year")"#] : []))
    for statement in try #require(document["statements"] as? [[String: Any]]) {
      let node = statement["node"] as? String
      let scans = (statement["plan"] as? [String] ?? []).filter { step in
        // A scan of the root may be intended, also to find the last record of a page, within the statement of the page; one
        // of an association never is.
        let isOfRoot =
          node == "root" && step.hasPrefix("SCAN")
          || node == "lookahead" && step.trimmingCharacters(in: .whitespaces).hasPrefix("SCAN")
        return step.contains("SCAN") && !step.contains("VIRTUAL TABLE") && !isOfRoot
      }
      #expect(scans.isEmpty)
    }
  }
}
