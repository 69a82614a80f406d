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

// MARK: - Single records

extension Side {
  /// Ten thousand authors, each by its key.
  public func authorsByKey() throws -> Int {
    try database.read { db in
      try (1...10_000).reduce(0) { $0 &+ (try Author.fetchOne(db, id: Int64($1 % 1000 + 1))?.birthYear ?? 0) }
    }
  }

  /// The same by SQL, which is the floor of it.
  public func authorsByKeyInSQL() throws -> Int {
    try database.read { db in
      try (1...10_000).reduce(0) { sum, id in
        let author = try Author.fetchOne(
          db, sql: "SELECT * FROM author WHERE id = ?", arguments: [Int64(id % 1000 + 1)])
        return sum &+ (author?.birthYear ?? 0)
      }
    }
  }

  /// Ten thousand notes, inserted as records into a temporary table.
  public func insertions() throws -> Int {
    try writing { db in
      for id in 1...10_000 { try Note(id: Int64(id), authorId: 1, text: "text", rating: 3).insert(db) }
    }
  }

  /// The same by SQL, which is the floor of it.
  public func insertionsInSQL() throws -> Int {
    try writing { db in
      for id in 1...10_000 {
        try db.execute(
          sql: "INSERT INTO note (id, authorId, text, rating) VALUES (?, ?, ?, ?)",
          arguments: [Int64(id), 1, "text", 3])
      }
    }
  }

  /// Ten thousand notes, inserted and then updated and deleted one by one.
  public func updatesAndDeletions() throws -> Int {
    try writing { db in
      for id in 1...10_000 {
        var note = Note(id: Int64(id), authorId: 1, text: "text", rating: 3)
        try note.insert(db)
        note.rating = 4
        try note.update(db)
        if id % 2 == 0 { try note.delete(db) }
      }
    }
  }

  /// Ten thousand requests of nothing, with two levels of associations: what it costs to plan them.
  public func emptyRequests() throws -> Int {
    try database.read { db in
      try (1...10_000).reduce(0) { sum, id in
        let request = Author.filter(Column("id") == -id).including(
          all: Author.books.including(all: Book.reviews))
        return sum &+ (try AuthorInfo.fetchAll(db, request).count)
      }
    }
  }

  private func writing(_ body: (Database) throws -> Void) throws -> Int {
    try database.writeWithoutTransaction { db in
      try db.execute(
        sql:
          "CREATE TEMP TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, authorId, text, rating); DELETE FROM note"
      )
      try db.inTransaction {
        try body(db)
        return .commit
      }
      return try Int.fetchOne(db, sql: "SELECT SUM(rating) FROM note") ?? 0
    }
  }
}

struct Note: Codable, PersistableRecord {
  var id: Int64
  var authorId: Int64
  var text: String
  var rating: Int
}

struct Author: Decodable, FetchableRecord, TableRecord, Identifiable {
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
