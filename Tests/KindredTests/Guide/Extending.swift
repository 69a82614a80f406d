import Kindred
import Testing

// Sample: extension
extension DerivableRequest<Author> {
  func filter(country: String) -> Self {
    joining(required: Author.country.filter(Column("name") == country))
  }

  func orderedByName() -> Self {
    order(Column("name").collating(.nocase))
  }
}

extension DerivableRequest<Book> {
  func filter(authorCountry: String) -> Self {
    joining(required: Book.author.filter(country: authorCountry))
  }

  func orderedByAuthor() -> Self {
    let author = TableAlias()
    return joining(optional: Book.author.aliased(author))
      .order(author[Column("name")], Column("year"))
  }
}
// End

@Suite("The guide: requests of one's own")
struct Extending {
  @Test
  func `extensions are for requests and associations`() throws {
    let dbQueue = try Library.make()
    // Sample: composed
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author
    }

    let authors = Author.all().filter(country: "France").orderedByName()
    let books =
      Book.all()
      .filter(authorCountry: "France")
      .orderedByAuthor()
      .including(required: Book.author)
      .asRequest(of: BookInfo.self)
    // End
    #expect(try dbQueue.all(authors).map(\.id) == [1])
    #expect(try dbQueue.all(books).map(\.book.id) == [1, 2, 3])
  }
}
