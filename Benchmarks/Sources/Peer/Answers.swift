import GRDB
import Hummingbird

// What GRDB decodes and Hummingbird encodes. The properties are flat, so that the JSON is Kindred's.

struct BookAndAuthor: Codable, FetchableRecord, ResponseEncodable {
  var id: Int64
  var authorId: Int64
  var title: String
  var kind: String
  var year: Int
  var price: Double
  var author: Author?

  static func find(_ id: Int64, in database: Database) throws -> Self? {
    try Book.filter(key: id).including(optional: Book.author).asRequest(of: Self.self).fetchOne(database)
  }
}

struct AuthorAndBooks: Codable, FetchableRecord, ResponseEncodable {
  var id: Int64
  var name: String
  var countryCode: String?
  var birthYear: Int
  var deathYear: Int?
  var bookCount: Int
  var books: [Book]

  static func fetch(_ limit: Int, in database: Database) throws -> [Self] {
    try Author.order(Column("id")).limit(limit)
      .including(all: Author.books.order(Column("id")))
      .annotated(with: Author.books.count)
      .asRequest(of: Self.self).fetchAll(database)
  }
}

struct AuthorAndReviews: Codable, FetchableRecord, ResponseEncodable {
  struct BookAndReviews: Codable {
    var id: Int64
    var authorId: Int64
    var title: String
    var kind: String
    var year: Int
    var price: Double
    var reviews: [Review]
  }

  var id: Int64
  var name: String
  var countryCode: String?
  var birthYear: Int
  var deathYear: Int?
  var books: [BookAndReviews]

  static func fetch(_ limit: Int, in database: Database) throws -> [Self] {
    let reviews = Book.reviews.order(Column("id"))
    return try Author.order(Column("id")).limit(limit)
      .including(all: Author.books.order(Column("id")).including(all: reviews))
      .asRequest(of: Self.self).fetchAll(database)
  }
}

struct BookAndCountry: Codable, FetchableRecord, ResponseEncodable {
  struct AuthorAndCountry: Codable {
    var id: Int64
    var name: String
    var countryCode: String?
    var birthYear: Int
    var deathYear: Int?
    var country: Country?
  }

  var id: Int64
  var authorId: Int64
  var title: String
  var kind: String
  var year: Int
  var price: Double
  var author: AuthorAndCountry

  static func fetch(_ limit: Int, in database: Database) throws -> [Self] {
    try Book.order(Column("id")).limit(limit)
      .including(required: Book.author.including(optional: Author.country))
      .asRequest(of: Self.self).fetchAll(database)
  }
}

struct RankedAuthor: Codable, FetchableRecord, ResponseEncodable {
  var id: Int64
  var name: String
  var countryCode: String?
  var birthYear: Int
  var deathYear: Int?
  var bookCount: Int
  var maxBookYear: Int?
  var paintingCount: Int

  static func fetch(_ limit: Int, in database: Database) throws -> [Self] {
    try Author
      .annotated(with: Author.books.count, Author.books.max(Column("year")), Author.paintings.count)
      .having(Author.books.count >= 5)
      .order(Column("bookCount").detached.desc, Column("id")).limit(limit)
      .asRequest(of: Self.self).fetchAll(database)
  }
}
