import Foundation
import Kindred
import Testing

/// Random requests of the library's tables, in the terms that Swift and URLs have in common.
private struct RandomRequests {
  var generator = Numbers(state: 1)

  /// Random numbers that are the same in every run.
  struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 32 | state << 32
    }
  }

  mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &generator)]
  }

  // MARK: Expressions

  mutating func value() -> any SQLExpressible {
    pick(
      [
        1, 2, 1850, -3, 7.5, 0.0, 1e300, "novel", "Moby-Dick", "it's", "é", "", Data([0, 255]), true,
      ] as [any SQLExpressible])
  }

  mutating func number(_ columns: [String], _ depth: Int) -> SQLExpression {
    let column = Column(pick(columns))
    guard depth > 0 else { return column.sqlExpression }
    let inner = number(columns, depth - 1)
    return switch Int.random(in: 0..<11, using: &generator) {
    case 8: max(inner, column)
    case 9: column.lowercased
    case 0: inner + column
    case 1: inner * 3
    case 2: -inner
    case 3: abs(inner)
    case 4: inner % 7
    case 5: length(inner)
    case 6: inner ?? 5
    case 7: cast(inner, as: pick([.integer, .real, .text]))
    default: inner - 2.5
    }
  }

  mutating func condition(_ columns: [String], _ depth: Int) -> SQLExpression {
    let expression = number(columns, Int.random(in: 0...2, using: &generator))
    guard depth > 0 else {
      let (first, second) = (value(), value())
      return switch Int.random(in: 0..<11, using: &generator) {
      case 0: expression == first
      case 1: expression != second
      case 2: expression == nil
      case 3: expression != nil
      case 4: Column(pick(columns)) > 2 && expression < 1900
      case 5: ["novel", "Hugo", "a'b"].contains(expression)
      case 6: (1800...1900).contains(expression)
      case 7: expression.like(pick(["%o%", "H_go", "100%"]))
      case 8: expression.collating(.nocase) == pick(["hugo", "NOVEL"])
      case 9: [Int]().contains(expression)
      default: expression === (nil as Int?)
      }
    }
    let (left, right) = (condition(columns, depth - 1), condition(columns, depth - 1))
    return switch Int.random(in: 0..<3, using: &generator) {
    case 0: left && right
    case 1: left || right
    default: !left
    }
  }

  mutating func order(_ columns: [String]) -> [SQLOrdering] {
    let term = number(columns, Int.random(in: 0...1, using: &generator))
    return [pick([term.asc, term.desc, term.ascNullsLast, term.descNullsFirst])]
  }

  // MARK: Requests

  private static let ofBooks = ["id", "authorId", "title", "kind", "year", "price"]
  private static let ofAuthors = ["id", "name", "country", "birthYear"]
  private static let ofAwards = ["id", "bookId", "name"]

  mutating func refined<R: DerivableRequest>(_ request: R, _ columns: [String], isCollection: Bool) -> R {
    var request = request
    if one(in: 2) { request = request.filter(condition(columns, Int.random(in: 0...2, using: &generator))) }
    if one(in: 4) {
      request = request.select(columns.shuffled(using: &generator).prefix(3).map { Column($0) })
    }
    guard isCollection else { return request }
    if one(in: 2) { request = request.order(order(columns) + [Column("id").asc]) }
    if one(in: 5) {
      request = request.order(order(columns) + [Column("id").desc]).limit(2, offset: one(in: 2) ? 1 : nil)
    }
    return request
  }

  mutating func books() -> QueryInterfaceRequest<Book> {
    var request = refined(Book.all(), Self.ofBooks, isCollection: true)
    let author = TableAlias<Author>()
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: request = request.including(optional: refined(Book.author, Self.ofAuthors, isCollection: false))
    case 1: request = request.including(required: refined(Book.author, Self.ofAuthors, isCollection: false))
    case 2:
      request = request.joining(optional: Book.author.aliased(author))
        .filter(author.sqlName == "Hugo" || Column("year") > author[Column("birthYear")])
        .annotated(with: author[Column("country")].forKey("from"))
    case 3:
      request = request.including(optional: Book.author.including(all: Author.books.select(Column("title"))))
    case 4: request = request.annotated(withOptional: Book.author.select(Column("name")))
    default: request = request.including(optional: Book.coverImage)
    }
    if one(in: 3) {
      request = request.including(all: refined(Book.awards, Self.ofAwards, isCollection: true))
    }
    if one(in: 3) {
      let awards = refined(Book.awards.filter(Column("id") > 0), Self.ofAwards, isCollection: false)
      request = request.annotated(with: awards.count, awards.max(Column("name"))).having(awards.count < 3)
    }
    return request
  }

  mutating func authors() -> QueryInterfaceRequest<Author> {
    var request = refined(Author.all(), Self.ofAuthors, isCollection: true)
    if one(in: 2) {
      let books = refined(Author.books, Self.ofBooks, isCollection: true)
      request = request.including(
        all: one(in: 2)
          ? books.including(all: refined(Book.awards, Self.ofAwards, isCollection: true)) : books)
    }
    if one(in: 3) {
      let books = Author.books.filter(condition(Self.ofBooks, 1))
      request = request.annotated(
        with: books.count, books.isEmpty, books.average(Column("year")), books.total(Column("price")),
        (books.sum(number(Self.ofBooks, 1)) ?? 0).forKey("other"))
    }
    if one(in: 4) { request = request.having(!Author.paintings.isEmpty || Author.books.count > 1) }
    if one(in: 3) {
      let awards = refined(Author.awards, Self.ofAwards, isCollection: true)
      request = request.including(all: one(in: 2) ? awards.including(required: Award.book) : awards)
    }
    if one(in: 4) {
      let awards = Author.awards.filter(condition(Self.ofAwards, 1))
      request = request.annotated(with: awards.count.forKey("n"), awards.min(Column("name")))
        .order(awards.count.desc, Column("id"))
    }
    return request
  }

  mutating func awards() -> QueryInterfaceRequest<Award> {
    let request = refined(Award.all(), Self.ofAwards, isCollection: true)
    let (book, author) = (TableAlias<Book>(), TableAlias<Author>())
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      return request.including(
        required: refined(Award.book, Self.ofBooks, isCollection: false)
          .including(optional: refined(Book.author, Self.ofAuthors, isCollection: false)))
    case 1:
      return request.joining(
        optional: Award.book.aliased(book).joining(optional: Book.author.aliased(author))
      )
      .filter(author.sqlName > book[Column("title")] || Column("id") + book[Column("id")] > 3)
      .annotated(with: author[Column("name")].forKey("by"))
    case 2:
      return request.including(
        optional: Award.book.including(all: refined(Book.awards, Self.ofAwards, isCollection: true)))
    case 3: return request.including(required: Award.book.including(optional: Book.coverImage))
    default: return request.annotated(withRequired: Award.book.select(Column("title"), Column("price")))
    }
  }

  /// The records that are associated with one.
  mutating func related() -> QueryInterfaceRequest<Row> {
    let id = Int64.random(in: 1...4, using: &generator)
    let author = Author(id: id, name: "")
    let books = refined(Author.books, Self.ofBooks, isCollection: true)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return author.request(for: books.including(optional: Book.coverImage)).asRequest(of: Row.self)
    case 1:
      let awards = refined(Author.awards, Self.ofAwards, isCollection: true)
      return author.request(for: awards.including(required: Award.book)).asRequest(of: Row.self)
    case 2:
      let book = Book(id: 1, authorId: id, title: "", kind: .novel, year: 0)
      return book.request(for: refined(Book.author, Self.ofAuthors, isCollection: false))
        .including(all: books).asRequest(of: Row.self)
    default:
      return author.request(
        for: books.including(all: refined(Book.awards, Self.ofAwards, isCollection: true))
      )
      .asRequest(of: Row.self)
    }
  }

  /// Rows that are repeated without `distinct()`.
  mutating func distinct() -> QueryInterfaceRequest<Row> {
    let columns = Self.ofBooks.dropFirst().shuffled(using: &generator).prefix(2).map { Column($0) }
    return Book.filter(condition(Self.ofBooks, 1)).select(columns, as: Row.self).distinct()
      .order(columns.map(\.asc))
  }

  mutating func groups() -> QueryInterfaceRequest<Row> {
    let key = Column(pick(Self.ofBooks))
    return Book.filter(condition(Self.ofBooks, 1))
      .select(
        [key, count(Column("id")).forKey("n"), max(number(Self.ofBooks, 1)).forKey("m")]
          as [any SQLSelectable],
        as: Row.self
      )
      .group(key).having(count(Column("id")) > pick([0, 1])).order(key)
  }
}

extension TableAlias<Author> {
  fileprivate var sqlName: SQLExpression { self[Column("name")] }
}

@Suite("The same request on a file and on a server")
struct RandomRequestTests {
  @Test(arguments: 0..<8)
  func `random requests have the same rows on both`(part: Int) throws {
    var requests = RandomRequests()
    requests.generator.state = UInt64(part)
    let queue = try Library.make()
    try queue.write { db in
      try Award(id: 4, bookId: 2, name: "it's 100%").insert(db)
      try Book(id: 6, authorId: 2, title: "é", kind: .novel, year: -3, price: 1e300).insert(db)
    }
    var compared = 0
    try queue.read { db in
      for _ in 0..<25 {
        let outcomes = [
          try BothSides.compare(requests.books(), on: db), try BothSides.compare(requests.authors(), on: db),
          try BothSides.compare(requests.groups(), on: db), try BothSides.compare(requests.awards(), on: db),
          try BothSides.compare(requests.related(), on: db),
          try BothSides.compare(requests.distinct(), on: db),
        ]
        for outcome in outcomes where outcome != .compared { #expect(outcome == .nothing) }
        compared += outcomes.count { $0 == .compared }
      }
    }
    #expect(compared > 100)
  }
}
