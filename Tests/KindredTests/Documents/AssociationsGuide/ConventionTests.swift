import Kindred
import Testing

private struct PostalAddress: Codable, FetchableRecord, TableRecord {
  // Customized table name
  static let databaseTableName = "postal_address"

  var street: String
}

private struct Author: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String?
}

extension Author {
  // Customized association key
  static let postalAddress = belongsTo(PostalAddress.self, key: "postalAddress")
  static let books = hasMany(Book.self)
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var title: String?
  static let author = belongsTo(Author.self)
}

private struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
  static let demographics = hasOne(Demographics.self)
}

private struct Demographics: Codable, FetchableRecord, TableRecord {
  var population: Int
}

@Suite("The guide of associations: conventions of the schema")
struct ConventionTests {
  @Test
  func `S46: a table whose name is no identifier of Swift gets its key by hand`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var postalAddress: PostalAddress?
    }
    let dbQueue = try Databases.make(
      """
      CREATE TABLE postal_address (id INTEGER PRIMARY KEY, street TEXT);
      CREATE TABLE author (id INTEGER PRIMARY KEY, postalAddressId INTEGER REFERENCES postal_address);
      INSERT INTO postal_address VALUES (1, 'Place des Vosges');
      INSERT INTO author VALUES (1, 1), (2, NULL);
      """)
    let infos = try dbQueue.read { db in
      try AuthorInfo.fetchAll(db, Author.including(optional: Author.postalAddress))
    }
    #expect(infos.map(\.postalAddress?.street) == ["Place des Vosges", nil])
  }

  @Test
  func `S54, S58, S59, S60, S64: the recommended migration of books that belong to authors`() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Books and Authors") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")  // (1)
        t.column("name", .text)
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade)  // (2)
          .notNull()  // (3)
        t.column("title", .text)
      }
    }
    let dbQueue = DatabaseQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          INSERT INTO author (name) VALUES ('Victor Hugo');
          INSERT INTO book (authorId, title) VALUES (1, 'Hernani');
          """)
      try expectSQL(
        Book.including(required: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        JOIN author ON author.id = book.authorId
        """)
      #expect(try Author.having(Author.books.count == 1).fetchCount(db) == 1)
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book (title) VALUES ('Beowulf')")
      }
      try db.execute(sql: "DELETE FROM author")
      #expect(try Book.fetchCount(db) == 0)
    }
  }

  @Test
  func `S56, S57: the recommended migration of countries with one profile each`() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Countries") { db in
      try db.create(table: "country") { t in
        t.primaryKey("code", .text)  // (1)
        t.column("name", .text)
      }
      try db.create(table: "demographics") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("country", onDelete: .cascade)  // (2)
          .notNull()  // (3)
          .unique()  // (4)
        t.column("population", .integer)
        t.column("density", .double)
      }
    }
    let dbQueue = DatabaseQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          INSERT INTO country (code) VALUES ('FR');
          INSERT INTO demographics (countryCode, population) VALUES ('FR', 67);
          """)
      #expect(try Country.joining(required: Country.demographics).fetchAll(db).map(\.code) == ["FR"])
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO demographics (countryCode, population) VALUES ('FR', 68)")
      }
    }
  }
}

@Suite("The guide of associations: foreign keys")
struct ForeignKeysTests {
  private struct Person: Codable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String

    static let writtenBooks = hasMany(Book.self, using: Book.authorForeignKey)
    static let translatedBooks = hasMany(Book.self, using: Book.translatorForeignKey)
  }

  private struct Book: Codable, FetchableRecord, TableRecord {
    var title: String

    // Define foreign keys
    static let authorForeignKey = ForeignKey(["authorId"])
    static let translatorForeignKey = ForeignKey(["translatorId"])

    // Use foreign keys to define associations:
    static let author = belongsTo(Person.self, using: authorForeignKey)
    static let translator = belongsTo(Person.self, using: translatorForeignKey)

    static let unknown = belongsTo(Person.self)
  }

  @Test
  func `S68, S70, S71, S72: of several foreign keys, one is chosen`() throws {
    let dbQueue = DatabaseQueue()
    // The migration that has created the above schema
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Library") { db in
      try db.create(table: "person") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", inTable: "person")
        t.belongsTo("translator", inTable: "person")
        t.column("title", .text)
      }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          INSERT INTO person (name) VALUES ('Herman Melville'), ('Jean Giono');
          INSERT INTO book (authorId, translatorId, title) VALUES (1, 2, 'Moby-Dick');
          """)
      try expectSQL(
        Book.joining(required: Book.author), db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId
        """)
      try expectSQL(
        Book.joining(required: Book.translator), db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.translatorId
        """)
      #expect(try Person.joining(required: Person.writtenBooks).fetchAll(db).map(\.id) == [1])
      #expect(try Person.joining(required: Person.translatedBooks).fetchAll(db).map(\.id) == [2])
      let error = #expect(throws: AssociationError.self) {
        try Book.joining(required: Book.unknown).fetchAll(db)
      }
      #expect(error.map { "\($0)" } == "Ambiguous foreign key from book to person")
    }
  }

  @Test
  func `S69, S73, S74, S75: without a foreign key, the columns are named`() throws {
    struct Person: Codable, FetchableRecord, TableRecord {
      var name: String
    }
    struct Book: Codable, FetchableRecord, TableRecord {
      enum Columns: String, ColumnExpression {
        case id, title, authorId, translatorId
      }

      var title: String
      static let authorForeignKey = ForeignKey([Columns.authorId])
      static let translatorForeignKey = ForeignKey([Columns.translatorId])
      static let author = belongsTo(Person.self, using: authorForeignKey)
      static let unknown = belongsTo(Person.self)
    }
    struct KeyedBook: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "book"
      var title: String
      static let authorForeignKey = ForeignKey(["authorId"], to: ["id"])
      static let author = belongsTo(Person.self, using: authorForeignKey)
    }
    let tables = "CREATE TABLE book (title TEXT, authorId INTEGER, translatorId INTEGER)"
    try Databases.make("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT); \(tables)").read {
      db throws in
      try expectSQL(
        Book.joining(required: Book.author), db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId
        """)
      let error = #expect(throws: AssociationError.self) {
        try Book.joining(required: Book.unknown).fetchAll(db)
      }
      #expect(error.map { "\($0)" } == "Could not infer foreign key from book to person")
    }
    // Without a primary key, the columns of both tables are needed.
    try Databases.make("CREATE TABLE person (id INTEGER, name TEXT); \(tables)").read { db throws in
      try expectSQL(
        KeyedBook.joining(required: KeyedBook.author), db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId
        """)
    }
  }
}
