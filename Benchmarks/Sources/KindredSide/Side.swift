// One source for both libraries: GRDBSide has a link to this file.
#if GRDB_SIDE
  import GRDB
#else
  import Kindred
#endif

/// Fetches of one library, each of which gives a number that tells whether both fetched the same.
public final class Side {
  private let database: DatabaseQueue

  /// Opens a library that `library.py` made.
  public init(path: String) throws {
    database = try DatabaseQueue(path: path)
  }

  /// All authors, each with its books, decoded.
  public func authorsWithBooks() throws -> Int {
    try database.read { db in
      let all = try AuthorInfo.fetchAll(db, Author.including(all: Author.books))
      return all.reduce(0) { $0 &+ Int($1.author.id) &+ $1.books.reduce(0) { $0 &+ $1.year } }
    }
  }

  /// The same as rows.
  public func authorsWithBooksAsRows() throws -> Int {
    try database.read { db in
      let all = try Row.fetchAll(db, Author.including(all: Author.books))
      return all.reduce(0) { $0 &+ ($1["id"] as Int) &+ ($1.prefetchedRows["books"]?.count ?? 0) }
    }
  }

  /// All authors with their books and the reviews of those, decoded.
  public func authorsWithBooksAndReviews() throws -> Int {
    try database.read { db in
      let request = Author.including(all: Author.books.including(all: Book.reviews))
      let all = try ReviewedAuthorInfo.fetchAll(db, request)
      return all.reduce(0) { $0 &+ $1.books.reduce(0) { $0 &+ $1.reviews.reduce(0) { $0 &+ $1.rating } } }
    }
  }

  /// All books, decoded.
  public func books() throws -> Int {
    try database.read { db in try Book.fetchAll(db).reduce(0) { $0 &+ $1.year } }
  }

  /// All books as rows.
  public func booksAsRows() throws -> Int {
    try database.read { db in try Row.fetchAll(db, Book.all()).reduce(0) { $0 &+ ($1["year"] as Int) } }
  }

  /// All books, each with its author, decoded.
  public func booksWithAuthor() throws -> Int {
    try database.read { db in
      let all = try BookInfo.fetchAll(db, Book.including(required: Book.author))
      return all.reduce(0) { $0 &+ $1.author.birthYear &+ $1.book.year }
    }
  }

  /// All authors with the number of their books and the year of the last, decoded.
  public func authorsWithAggregates() throws -> Int {
    try database.read { db in
      let request = Author.annotated(with: Author.books.count, Author.books.max(Column("year")))
      return try CountedAuthorInfo.fetchAll(db, request).reduce(0) {
        $0 &+ $1.bookCount &+ ($1.maxBookYear ?? 0)
      }
    }
  }

  /// A thousand authors with their books, each by a request of its own.
  public func authorsOneByOne() throws -> Int {
    try database.read { db in
      try (1...1000).reduce(0) { sum, id in
        let request = Author.filter(Column("id") == id).including(all: Author.books)
        return sum &+ (try AuthorInfo.fetchOne(db, request)?.books.count ?? 0)
      }
    }
  }
}

struct Author: Decodable, FetchableRecord, TableRecord {
  static let books = hasMany(Book.self)

  var id: Int64
  var name: String
  var countryCode: String?
  var birthYear: Int
  var deathYear: Int?
}

struct Book: Decodable, FetchableRecord, TableRecord {
  static let author = belongsTo(Author.self)
  static let reviews = hasMany(Review.self)

  var id: Int64
  var authorId: Int64
  var title: String
  var kind: String
  var year: Int
  var price: Double
}

struct Review: Decodable, FetchableRecord, TableRecord {
  var id: Int64
  var bookId: Int64
  var rating: Int
  var body: String
}

struct AuthorInfo: Decodable, FetchableRecord {
  var author: Author
  var books: [Book]
}

struct ReviewedAuthorInfo: Decodable, FetchableRecord {
  struct BookInfo: Decodable {
    var book: Book
    var reviews: [Review]
  }

  var author: Author
  var books: [BookInfo]
}

struct BookInfo: Decodable, FetchableRecord {
  var book: Book
  var author: Author
}

struct CountedAuthorInfo: Decodable, FetchableRecord {
  var author: Author
  var bookCount: Int
  var maxBookYear: Int?
}
