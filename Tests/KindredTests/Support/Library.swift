import Kindred

struct Author: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
  var id: Int64
  var name: String
  var country: String?
  var birthYear: Int?

  static let books = hasMany(Book.self)
  static let paintings = hasMany(Painting.self)
  static let awards = hasMany(Award.self, through: books, using: Book.awards)

  var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
  var awards: QueryInterfaceRequest<Award> { request(for: Author.awards) }
}

struct Book: Codable, FetchableRecord, PersistableRecord, Identifiable, Hashable {
  enum Kind: String, Codable, DatabaseValueConvertible { case novel, poems, theatrePlay }

  var id: Int64
  var authorId: Int64?
  var title: String
  var kind: Kind
  var year: Int
  var price: Double?

  static let author = belongsTo(Author.self)
  static let awards = hasMany(Award.self)
  static let coverImage = hasOne(CoverImage.self)

  var author: QueryInterfaceRequest<Author> { request(for: Book.author) }
  var coverImage: QueryInterfaceRequest<CoverImage> { request(for: Book.coverImage) }
}

struct Painting: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var authorId: Int64
  var title: String
}

struct Award: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var bookId: Int64
  var name: String

  static let book = belongsTo(Book.self)
}

struct CoverImage: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var bookId: Int64
  var path: String

  static let book = belongsTo(Book.self)
}

/// A database of authors and their books.
///
///     1 Melville (US, 1819)  1 Moby-Dick (novel 1851, 12.5)  awards: Whale, Sea   cover: moby.png
///                            2 Billy Budd (novel 1924)
///                            3 Clarel (poems 1876, 7.5)
///     2 Hugo (FR, 1802)      4 Hernani (theatrePlay 1830)    awards: Stage
///                            paintings: Octopus, Planet
///     3 Sappho               no books
///     -                      5 Beowulf (poems 1000): no author
enum Library {
  static func make() throws -> DatabaseQueue {
    let queue = DatabaseQueue()
    try queue.write { db in
      try createTables(db)
      try insertRecords(db)
    }
    return queue
  }

  static func createTables(_ db: Database) throws {
    try db.create(table: "author") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("country", .text)
      t.column("birthYear", .integer)
    }
    try db.create(table: "book") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("author", onDelete: .cascade)
      t.column("title", .text).notNull()
      t.column("kind", .text).notNull()
      t.column("year", .integer).notNull()
      t.column("price", .double)
    }
    try db.create(table: "painting") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("author").notNull()
      t.column("title", .text).notNull()
    }
    try db.create(table: "award") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("book").notNull()
      t.column("name", .text).notNull()
    }
    try db.create(table: "coverImage") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("book").notNull().unique()
      t.column("path", .text).notNull()
    }
  }

  static func insertRecords(_ db: Database) throws {
    for author in [melville, hugo, sappho] { try author.insert(db) }
    for book in [mobyDick, billyBudd, clarel, hernani, beowulf] { try book.insert(db) }
    try Painting(id: 1, authorId: 2, title: "Octopus").insert(db)
    try Painting(id: 2, authorId: 2, title: "Planet").insert(db)
    try Award(id: 1, bookId: 1, name: "Whale").insert(db)
    try Award(id: 2, bookId: 1, name: "Sea").insert(db)
    try Award(id: 3, bookId: 4, name: "Stage").insert(db)
    try CoverImage(id: 1, bookId: 1, path: "moby.png").insert(db)
  }

  static let melville = Author(id: 1, name: "Melville", country: "US", birthYear: 1819)
  static let hugo = Author(id: 2, name: "Hugo", country: "FR", birthYear: 1802)
  static let sappho = Author(id: 3, name: "Sappho", country: nil, birthYear: nil)

  static let mobyDick = Book(id: 1, authorId: 1, title: "Moby-Dick", kind: .novel, year: 1851, price: 12.5)
  static let billyBudd = Book(id: 2, authorId: 1, title: "Billy Budd", kind: .novel, year: 1924, price: nil)
  static let clarel = Book(id: 3, authorId: 1, title: "Clarel", kind: .poems, year: 1876, price: 7.5)
  static let hernani = Book(id: 4, authorId: 2, title: "Hernani", kind: .theatrePlay, year: 1830, price: nil)
  static let beowulf = Book(id: 5, authorId: nil, title: "Beowulf", kind: .poems, year: 1000, price: nil)
}
