import Kindred
import Testing

@Suite("Joining methods")
struct JoiningTests {
  struct BookInfo: Decodable, FetchableRecord, Hashable {
    var book: Book
    var author: Author
  }

  struct OptionalBookInfo: Decodable, FetchableRecord, Hashable {
    var book: Book
    var author: Author?
  }

  struct AuthorInfo: Decodable, FetchableRecord, Hashable {
    var author: Author
    var books: [Book]
  }

  @Test("S90, S95, S110, S187, S192: including(required:) is an inner join with the columns of the other")
  func includingRequired() throws {
    let infos = try Library.make().read { db in
      try Book.including(required: Book.author).order(Column("id")).asRequest(of: BookInfo.self).fetchAll(db)
    }
    #expect(infos.map(\.book) == [Library.mobyDick, Library.billyBudd, Library.clarel, Library.hernani])
    #expect(infos.map(\.author.name) == ["Melville", "Melville", "Melville", "Hugo"])
  }

  @Test("S92, S191: including(optional:) keeps the records that have none")
  func includingOptional() throws {
    let infos = try Library.make().read { db in
      try OptionalBookInfo.fetchAll(db, Book.including(optional: Book.author).order(Column("id")))
    }
    #expect(infos.map(\.author?.name) == ["Melville", "Melville", "Melville", "Hugo", nil])
  }

  @Test("S94, S96, S97, S193: including(all:) gives a collection per record, and neither drops nor repeats any")
  func includingAll() throws {
    let infos = try Library.make().read { db in
      try AuthorInfo.fetchAll(db, Author.including(all: Author.books.order(Column("year"))).order(Column("id")))
    }
    #expect(
      infos.map { $0.books.map(\.title) } == [["Moby-Dick", "Clarel", "Billy Budd"], ["Hernani"], []])
  }

  @Test("S89, S104, S109: joining(required:) drops the records that have none, and selects nothing")
  func joiningRequired() throws {
    let books = try Library.make().read { db in
      try Book.joining(required: Book.author.filter(Column("country") == "FR")).fetchAll(db)
    }
    #expect(books == [Library.hernani])
  }
}
