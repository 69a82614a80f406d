import KindredModel
import Foundation
import TestSupport
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Any text and any position")
struct MangledURLTests {
  let database: TestDatabase

  init() throws { database = try Library.database() }

  private static let seeds = [
    "/authors/1/books/2/reviews?filter=rating>3&sort=-rating:nullslast",
    "/bookTags/bookId=1,tagId=2?fields=*,a:via.x",
    "/authors?include=novels:books!.reviews*2,country&novels.filter=year>../deathYear&novels.values=title",
    "/books?fields=kind,n:count(distinct year)&group=kind&having=count()>1 and kind not in ('a','é😀')",
    "/authors?annotate=n:books.filter(kind='novel' or year is not null).max(year),maxBookYear&join=country&count=true",
    "http://localhost/books?search=\"sea\" or x*&filter=\"title\" collate nocase like '%25a' escape '!'#view=plan",
  ]

  private static let pieces = [
    "", "&", "=", "?", "/", ".", ",", "(", ")", "'", "\"", "%", "%2", "%27", "%C3%A9", "%ff", "+", "!", "*",
    ":", "../", " ",
    "é", "😀", "\u{0}", "books.", "filter=", "count", "-", "||", "9223372036854775808", "1e999", "via.",
    "((((((((",
  ]

  @Test
  func `completion and description answer every text, at every position, within bounds`() throws {
    var random = LinearCongruentialGenerator(state: 5)
    for round in 0..<1200 {
      var scalars = Array((Self.seeds[round % Self.seeds.count]).unicodeScalars)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0...scalars.count, using: &random)
        let end = min(scalars.count, start + Int.random(in: 0...6, using: &random))
        let piece = Self.pieces.randomElement(using: &random) ?? ""
        scalars.replaceSubrange(start..<end, with: Array(piece.unicodeScalars))
      }
      let url = String(String.UnicodeScalarView(scalars))
      let position = Int.random(in: 0...scalars.count, using: &random)
      let items = try #require(
        try database.document("/-/complete?url=\(TestDatabase.escaped(url))&position=\(position)")
          as? [[String: Any]],
        "\(url)")
      #expect(items.count <= 100)
      for item in items {
        let (from, to) = (item["from"] as? Int ?? -1, item["to"] as? Int ?? -1)
        #expect(
          0 <= from && from <= position && position <= to && to <= scalars.count,
          "\(url) \(position) \(item)"
        )
      }
      try expectDescription(of: url, scalars.count)
    }
  }

  /// Checks that parts are in order, errors are within the text, and the canonical form of a valid URL gives the same
  /// response.
  private func expectDescription(of url: String, _ count: Int) throws {
    let description = try database.description(of: url)
    let parts = try #require(description["parts"] as? [[String: Any]])
    var end = 0
    for part in parts {
      let (from, to) = (part["from"] as? Int ?? -1, part["to"] as? Int ?? -1)
      #expect(end <= from && from < to && to <= count, "\(url): \(parts)")
      end = to
    }
    for error in try #require(description["errors"] as? [[String: Any]]) {
      let (from, to) = (error["from"] as? Int ?? -1, error["to"] as? Int ?? -1)
      #expect(0 <= from && from <= to && to <= count, "\(url): \(error)")
    }
    guard let rendered = description["url"] as? String else { return }
    let written = URLCoding.encodeUnsafe(
      String(url.prefix { $0 != "#" }).replacing(/^[^\/]*:\/\/[^\/]*/, with: ""))
    let answer = try database.get(written)
    #expect(try database.get(rendered).text == answer.text, "\(url)\n\(rendered)")
  }
}
