import KindredModel
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

extension Answer {
  /// Returns the target of a link.
  func link(_ relation: String) -> String? {
    headers["Link"]?.matches(of: /<([^>]*)>; rel="([a-z]*)"/).first { $0.2 == relation }.map { String($0.1) }
  }

  /// The relations of the links, sorted.
  var relations: [String] {
    (headers["Link"] ?? "").matches(of: /rel="([a-z]*)"/).map { String($0.1) }.sorted()
  }
}

extension TestDatabase {
  /// Returns the pages from a target on, following a relation.
  func pages(_ target: String, by relation: String = "next") throws -> [Answer] {
    var pages: [Answer] = []
    var next: String? = target
    while let target = next {
      let answer = try answer(target)
      try #require(answer.status == 200, "\(target): \(answer.text)")
      pages.append(answer)
      try #require(pages.count < 40, "the pages have no end")
      next = answer.link(relation)
    }
    return pages
  }

  /// Asserts that the pages by `next` are those by `prev`, that `last` ends the same list, and that each page has exactly
  /// the links to the neighbouring pages.
  func expectPagesBothWays(
    _ target: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let there = try pages(target)
    guard there.count > 1, let end = there.last else { return }
    for (number, page) in there.enumerated() {
      let expected =
        ["first", "last"] + (number == there.count - 1 ? [] : ["next"]) + (number == 0 ? [] : ["prev"])
      #expect(page.relations == expected, "page \(number + 1) of \(target)", sourceLocation: sourceLocation)
    }
    guard end.text != "[]" else { return }
    let back = try pages(try #require(end.link("prev")), by: "prev")
    #expect(
      back.map(\.text) == there.dropLast().reversed().map(\.text), "by prev: \(target)",
      sourceLocation: sourceLocation)
    #expect(back.last?.relations == ["first", "last", "next"], "\(target)", sourceLocation: sourceLocation)
    let fromEnd = try pages(try #require(there[0].link("last")), by: "prev")
    #expect(
      fromEnd.reversed().map(\.text).records == there.map(\.text).records, "from the end: \(target)",
      sourceLocation: sourceLocation)
    let forward = try #require(back.last?.link("next"))
    #expect(
      try answer(forward).text == there[1].text, "forward again: \(target)", sourceLocation: sourceLocation)
  }
}

extension [String] {
  /// The records of pages, as one list.
  var records: String {
    "[" + filter { $0 != "[]" }.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]"
  }
}

@Suite("Pages back")
struct PagesBackTests {
  private static let numbers = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);
    CREATE INDEX tOnN ON t(n);
    INSERT INTO t SELECT value, nullif(value % 4, 0) FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12]');
    CREATE VIEW v AS SELECT n FROM t;
    """

  @Test
  func `a page before a cursor is ranges of the index, in the opposite order`() throws {
    let database = try TestDatabase(Self.numbers)
    let second = try database.answer(
      try #require(database.answer("/ts?sort=n&limit=4&fields=id").link("next")))
    #expect(second.text == #"[{"id":5},{"id":9},{"id":2},{"id":6}]"#)
    try expectRequest(
      try #require(second.link("prev")), on: database,
      json: #"[{"id":4},{"id":8},{"id":12},{"id":1}]"#)
    let plan = try database.answer(try #require(second.link("prev")) + "&explain=true").text
    #expect(!plan.contains("SCAN t"))
  }

  @Test(arguments: [
    ("sort=n", 1), ("sort=-n", 2), ("sort=n:nullslast", 5), ("sort=-n:nullsfirst,-id", 5), ("", 12), ("", 3),
    ("sort=n%2B0", 4), ("group=n&fields=n,c:count()", 1), ("fields=n&distinct=true", 1),
    ("fields=n&distinct=true&sort=-n", 3),
  ])
  func `the pages by prev are those by next`(order: String, limit: Int) throws {
    let database = try TestDatabase(Self.numbers)
    try database.expectPagesBothWays("/ts?\(order)&limit=\(limit)")
    if !order.contains("id") { try database.expectPagesBothWays("/vs?\(order)&limit=\(limit)") }
  }

  @Test
  func `the last page is full, and ends the list`() throws {
    let database = try TestDatabase(Self.numbers)
    let last = try database.answer("/ts?fields=id&limit=5&before=")
    #expect(last.text == #"[{"id":8},{"id":9},{"id":10},{"id":11},{"id":12}]"#)
    #expect(last.relations == ["first", "last", "prev"])
    #expect(
      try database.pages("/ts?fields=id&limit=5&before=", by: "prev").map(\.text).last
        == #"[{"id":1},{"id":2}]"#)
    #expect(try database.answer("/ts?fields=n:count()&before=").text == #"[{"n":12}]"#)
  }

  @Test
  func `what fits on one page has no links`() throws {
    let database = try TestDatabase(Self.numbers)
    for target in [
      "/ts", "/ts?limit=12", "/ts?before=", "/ts?filter=false", "/ts?limit=0", "/ts?fields=n:count()",
    ] {
      #expect(try database.answer(target).headers["Link"] == nil, "\(target)")
    }
  }

  @Test
  func `a page after an offset has the links of the list without it`() throws {
    let database = try TestDatabase(Self.numbers)
    for resource in ["ts?fields=id", "vs?fields=n,isNull:n+is+null&sort=n"] {
      let all = try database.pages("/\(resource)&limit=1").map(\.text)
      let page = try database.answer("/\(resource)&limit=4&offset=6")
      #expect(page.text == Array(all[6..<10]).records)
      #expect(try database.answer(try #require(page.link("prev"))).text == Array(all[2..<6]).records)
      #expect(try database.answer(try #require(page.link("next"))).text == Array(all[10..<12]).records)
      #expect(try database.answer(try #require(page.link("first"))).text == Array(all[0..<4]).records)
      let beyond = try database.answer("/\(resource)&limit=4&offset=60")
      #expect(beyond.text == "[]" && beyond.relations == ["first", "last", "prev"])
      #expect(try database.answer(try #require(beyond.link("prev"))).text == Array(all[8..<12]).records)
    }
  }

  @Test
  func `an empty page leads back to the rows on the other side of its cursor`() throws {
    let database = try TestDatabase(Self.numbers)
    let second = try database.answer(try #require(database.answer("/ts?fields=id&limit=2").link("next")))
    let (next, prev) = (try #require(second.link("next")), try #require(second.link("prev")))
    try database.pool.withWriter { try $0.execute("DELETE FROM t WHERE id > 4") }
    let after = try database.answer(next)
    #expect(after.text == "[]" && after.relations == ["first", "last", "prev"])
    #expect(try database.answer(try #require(after.link("prev"))).text == #"[{"id":3},{"id":4}]"#)
    try database.pool.withWriter { try $0.execute("DELETE FROM t WHERE id < 4") }
    let before = try database.answer(prev)
    #expect(before.text == "[]" && before.relations == ["first", "last", "next"])
    #expect(try database.answer(try #require(before.link("next"))).text == #"[{"id":4}]"#)
    try database.pool.withWriter { try $0.execute("DELETE FROM t") }
    #expect(try database.answer(prev).headers["Link"] == nil && database.answer(next).headers["Link"] == nil)
  }

  @Test
  func `without a limit, lines have all records that follow, or precede, a cursor`() throws {
    let database = try TestDatabase(Self.numbers)
    for resource in ["ts?fields=id", "vs?fields=n,isNull:n+is+null&sort=n"] {
      let all = try database.answer("/\(resource)&format=csv").text.split(separator: "\r\n").dropFirst()
      let third = try database.pages("/\(resource)&limit=3")[2]
      for (relation, expected) in [("next", all.suffix(3)), ("prev", all.prefix(6))] {
        let link = try #require(third.link(relation)).replacing("limit=3&", with: "")
        let lines = try database.answer(link + "&format=csv").text.split(separator: "\r\n").dropFirst()
        #expect(Array(lines) == Array(expected), "\(relation) of \(resource)")
      }
      #expect(
        try database.answer("/\(resource)&before=&format=csv").text.split(separator: "\r\n").count == 13)
    }
  }

  @Test
  func `a page has one cursor, and no offset`() throws {
    let database = try TestDatabase(Self.numbers)
    let page = try database.answer("/ts?limit=2&offset=3")
    let after = try #require(page.link("next")?.split(separator: "&").last)
    let before = try #require(page.link("prev")?.split(separator: "&").last)
    for (query, parameter) in [
      ("\(after)&\(before)", "before"), ("\(after)&before=", "before"), ("after=", "after"),
      ("before=x", "before"),
      ("\(after)&offset=1", "after"), ("before=&offset=1", "before"), ("\(before)&sort=n", "before"),
    ] {
      try expectProblem("/ts?limit=2&\(query)", on: database, code: .invalidValue, parameter: parameter)
    }
    for query in ["after=x", "before=", "before=x"] {
      try expectProblem(
        "/ts/1?\(query)", on: database, code: .invalidValue, parameter: String(query.prefix { $0 != "=" }))
    }
  }
}
