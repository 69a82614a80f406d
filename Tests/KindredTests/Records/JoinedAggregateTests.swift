import Kindred
import Testing

@Suite("Aggregates of joined records")
struct JoinedAggregateTests {
  private func names(_ request: QueryInterfaceRequest<Author>) throws -> [String] {
    try Library.make().read { db in
      try Row.fetchAll(db, request.order(Column("id"))).map { row in
        "\(row["name"] as String) \((row.databaseValues.last ?? .null).description)"
      }
    }
  }

  @Test
  func `a record that is joined to several has one row if the request has aggregates`() throws {
    #expect(
      try names(Author.annotated(with: Author.books.count).joining(required: Author.books))
        == ["Melville 3", "Hugo 1"])
    #expect(
      try names(Author.annotated(with: Author.books.max(Column("year"))).joining(optional: Author.books))
        == ["Melville 1924", "Hugo 1830", "Sappho NULL"])
    let request = Author.having(Author.books.count > 1).joining(required: Author.books)
    #expect(try Library.make().read { db in try request.fetchCount(db) } == 1)
  }

  @Test
  func `an aggregate is one of the records that the request joins under the same key`() throws {
    let late = Author.books.filter(Column("year") > 1851)
    #expect(
      try names(Author.annotated(with: Author.books.count).joining(required: late)) == ["Melville 2"])
    #expect(
      try names(Author.annotated(with: Author.books.count).joining(optional: late))
        == ["Melville 2", "Hugo 0", "Sappho 0"])
    #expect(
      try names(Author.annotated(with: Author.books.count).joining(required: late.forKey("late")))
        == ["Melville 3"])
  }

  @Test
  func `the alias of joined records means the aggregate's own in it, and theirs elsewhere`() throws {
    let book = TableAlias(name: "volume")
    let late = Author.books.aliased(book).filter(sql: "volume.year > ?", arguments: [1851])
    #expect(
      try names(Author.annotated(with: Author.books.count).joining(required: late)) == ["Melville 2"])
    #expect(
      try names(
        Author.annotated(with: Author.books.count).joining(required: Author.books.aliased(book))
          .filter(book[Column("year")] < 1840)) == ["Hugo 1"])
  }

  @Test
  func `rows that show the joined records stay apart`() throws {
    #expect(
      try names(Author.annotated(with: Author.books.count).including(required: Author.books)).count == 4)
    #expect(
      try names(
        Author.annotated(with: Author.books.count).joining(required: Author.books).group(Column("name"))
      )
      .count == 2)
  }
}
