import KindredModel
import KindredPlanning
import KindredHTTP
import OrderedCollections
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Plans shared by URLs that differ in their literals")
struct PlanSharingTests {
  @Test(arguments: [
    "/books?fields=id&filter=year=? or id=? or kind='novel' and year<?",
    "/books?fields=id&filter=id>?&limit=?&offset=?",
    "/books?fields=id,x:?&filter=id between ? and ?", "/authors/?/books?fields=id&filter=id<>?",
    "/books?fields=id&filter=year-?>1850 and price>-?",
    "/books?fields=id&filter=-id<-?", "/books?fields=id&filter=1-id<- ? or -id=-?",
    "/books?fields=id&filter=id in (?,?)&having=reviews.count<?",
    "/books?fields=id&filter=title='?' or title like '%25?%25'&sort=-id",
    "/books?fields=id,x:year%25?,y:price*?.5&sort=abs(id-?)&filter=price<?.25e1",
    "/books?fields=id,x:case when id=? then 'is ?' else x'31' end&annotate=n:reviews.filter(rating>?).count",
    "/books?fields=k:year%25?,n:count()&group=year%25?",
    "/books?fields=x:year%25?&distinct=true&sort=year%25?",
    "/bookTags/?,?", "/bookTags/bookId=?,tagId=?", "/bookTags/tagId=?,bookId=?/position",
    "/authors/?/name", "/authors/?/books/?/title", "/authors/name=?",
    "/authors?fields=id&include=books&books.sort=abs(id-?)&books.fields=id,x:id%2B?&books.annotate=y:id-?.5&books.filter=id<>?",
    "/authors?fields=id&sort=-books.filter(id>?).count,abs(id-?)&limit=2",
  ])
  func `each gets the answer that it would get alone, whatever was asked before`(template: String) throws {
    let shared = try Library.database()
    let values = ["1", "2", "2", "1851", "0", "4", "1", "1", "3"]
    for start in values.indices {
      var number = start
      let target = template.split(separator: "?", omittingEmptySubsequences: false).enumerated().map {
        index, part in
        guard index > 0 else { return String(part) }
        // A `?` before `fields` begins the query; the others are placeholders for values.
        if part.hasPrefix("fields") { return "?" + part }
        number += 1
        return values[number % values.count] + part
      }.joined()
      #expect(try shared.get(target).text == Library.database().get(target).text, "\(target)")
    }
  }

  @Test(
    arguments: [
      { "/authors/\($0)/books" }, { "/books?filter=year=\(1850 + $0)" },
      { "/books?filter=authorId=\($0)&include=reviews&reviews.filter=rating>\($0)" },
      { "/books?filter=id>\($0)" + ($0 % 2 == 0 ? "&limit=\($0 + 1)" : "") },
      { "/books?filter=price>-\($0)" }, { "/books?search=word\($0)" },
      { "/books?filter=case when id=\($0) then \($0) else 0 end" },
      { "/books?filter=price>\($0).5" }, { "/books?filter=price<-\($0)e1" },
      { "/books?filter=title=x'\(10 + $0)'" },
      { "/bookTags?filter=bookId=\($0)&fields=x:tagId*\($0).25&sort=abs(tagId-\($0))" },
      { "/books?annotate=x:year-\($0)" }, { "/books?fields=n:count()&group=year%25\($0)" },
      { "/books?fields=k:year%25\($0),n:count()&group=year%25\($0)" },
      { "/books?fields=x:year%25\($0)&distinct=true" },
      { "/authors?include=books&books.values=id*\($0)&books.sort=abs(id-\($0))" },
      { "/authors?annotate=n:books.filter(id>\($0)).count&sort=-books.filter(id>\($0)).count" },
      { "/bookTags/\($0),1" }, { "/bookTags/tagId=\($0),bookId=2" }, { "/bookTags/1,\($0)/position" },
    ] as [@Sendable (Int) -> String])
  func `so many requests of one shape are planned once`(target: @Sendable (Int) -> String) throws {
    let library = try Library.database()
    for number in 1...20 { _ = try library.get(target(number)) }
    #expect(library.service.context.models.planCounts.snapshot.misses == 1)
  }

  @Test
  func `a type, a path and a query are never taken for others, in whatever order they are asked for`() throws
  {
    let sql = ["ink", "link", "jsonlink", "jsoninks", "s"].map {
      """
      CREATE TABLE "\($0)" (id INTEGER PRIMARY KEY, "name" TEXT, "a=b" TEXT);
      INSERT INTO "\($0)" VALUES (1, '\($0) 1', 'x'), (2, '\($0) 2', 'y'), (3, '\($0) 3', 'z');
      """
    }.joined()
    var options = KindredService.Options()
    // Links to next pages are compared, too.
    options.cursorKey = [UInt8](0..<32)
    let shared = try TestDatabase(sql, options: options)
    let targets = shared.service.context.models.known.map { Array($0.model.resources.keys) } ?? []
    let requests = targets.flatMap { name in
      ["/\(name)", "/\(name)/1", "/\(name)?limit=2&fields=name", "/\(name)/1?fields=name"].flatMap { target in
        ["application/json", "application/x-ndjson", "application/jsonl", "text/csv", "text/html"].map {
          (target, HTTPHeaders(dictionaryLiteral: ("Accept", $0)))
        }
      }
    }
    let expected = try requests.map { target, headers in
      try TestDatabase(sql, options: options).answer(target, headers: headers)
    }
    for database in [shared, try TestDatabase(sql, options: options)] {
      let order = Array(requests.indices)
      for index in database === shared ? order : order.reversed() {
        let (target, headers) = requests[index]
        let answer = try database.answer(target, headers: headers)
        #expect(answer.text == expected[index].text, "\(target) \(headers["Accept"] ?? "")")
        #expect(answer.headers["Content-Type"] == expected[index].headers["Content-Type"])
      }
    }
  }

  @Test
  func `what is bound to parameters tells apart where one ends and the next begins`() {
    let orders = [
      RequestOrder(segments: ["books"], terms: [["sort", "a"], ["group", "b"]]),
      RequestOrder(segments: ["books"], terms: [["sort", "a&group=b"]]),
      RequestOrder(segments: ["books"], terms: [["sort", "a"]], patterns: ["group", "b"]),
      RequestOrder(segments: ["books"], terms: [["sort", "a"]], patterns: ["group\u{0}b"]),
      RequestOrder(segments: ["books", "sort"], terms: [["a"], ["group", "b"]]),
      RequestOrder(segments: ["books"], terms: [["sort", "a"]], principal: Array("b".utf8)),
      RequestOrder(segments: ["books"], terms: [["sort", "a"]], patterns: ["b"]),
    ]
    #expect(Set(orders.map(\.associatedData)).count == orders.count)
  }

  @Test
  func `a control character in the content of QUERY is not taken for a literal`() throws {
    let library = try Library.database()
    for content in [
      "filter=id=1&fields=id", "filter=id=\u{2}&fields=id", "title=\u{1}&fields=id", "title=Omoo&fields=id",
    ] {
      func answer(_ database: TestDatabase) throws -> Answer {
        try Answer(
          database.service.respond(
            to: HTTPRequest(
              method: .query, target: "/books", headers: ["Content-Type": QueryContent.mediaType],
              body: Array(content.utf8))))
      }
      #expect(try answer(library).text == answer(Library.database()).text)
    }
  }

  @Test
  func `the cursor of a search belongs to its pattern, whichever was planned first`() throws {
    let library = try Library.database()
    _ = try library.get("/books?search=truth&limit=1")
    let link = try #require(
      try library.answer("/books?fields=id&search=moby OR truth&limit=1").headers["Link"])
    let next = String(try #require(link.firstMatch(of: /<([^>]*)>; rel="next"/)).1)
    let cursor = try #require(next.split(separator: "&after=").last)
    for pattern in ["truth", "omoo", "moby OR omoo"] {
      try expectProblem(
        "/books?fields=id&search=\(pattern)&limit=1&after=\(cursor)", on: library, code: .invalidValue,
        parameter: "after")
    }
    #expect(try library.get(next).text == #"[{"id":1}]"#)
  }

  @Test
  func `a plan keeps values apart that were equal when it was made`() throws {
    let library = try Library.database()
    for (place, limit) in [(2, 2), (2, 4), (3, 3), (1, 3)] {
      let target = "/books?fields=id&filter=id<>\(place)&sort=abs(id-\(place))&limit=\(limit)"
      #expect(try library.get(target).text == Library.database().get(target).text)
    }
  }
}
