import Kindred
import Testing

// Sample: belongsTo
extension Book {
  static let author = belongsTo(Author.self)
}
// End

// Sample: hasMany
extension Author {
  static let books = hasMany(Book.self)
  static let portrait = hasOne(Portrait.self)
}
// End

// Sample: portrait
struct Portrait: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var authorId: Int64
  var path: String
}
// End

// Sample: through
struct Citizenship: TableRecord {
  static let country = belongsTo(Country.self)
}

extension Author {
  static let citizenships = hasMany(Citizenship.self)
  static let countries = hasMany(Country.self, through: citizenships, using: Citizenship.country)
}
// End

extension Author {
  static let country = belongsTo(Country.self)
}

// Sample: shortcut
extension Book {
  static let country = hasOne(Country.self, through: author, using: Author.country)
}
// End

// Sample: requestFor
extension Author {
  var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
}
// End

// Sample: self
struct Topic: Codable, Hashable, FetchableRecord, TableRecord {
  static let parent = belongsTo(Topic.self, key: "parent")
  static let children = hasMany(Topic.self, key: "children")

  var id: Int64
  var name: String
}
// End

@Suite("The guide: declaring associations")
struct Associations {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  func `records that belong to one`() throws {
    try dbQueue.read { db throws in
      // Sample: related
      if let hugo = try Author.fetchOne(db, id: 1) {
        let novels = try hugo.books.filter(Column("kind") == "novel").fetchAll(db)
        let portrait = try hugo.request(for: Author.portrait).fetchOne(db)
        print(novels.count, portrait?.path ?? "no portrait")
      }
      // End
      let hugo = try #require(try Author.fetchOne(db, id: 1))
      #expect(try hugo.books.filter(Column("kind") == "novel").fetchCount(db) == 2)
      #expect(try hugo.request(for: Author.portrait).fetchOne(db)?.path == "hugo.jpg")
      #expect(try hugo.request(for: Author.countries).fetchAll(db).map(\.code) == ["FR"])
      let book = try #require(try Book.fetchOne(db, id: 4))
      #expect(try book.request(for: Book.country).fetchOne(db)?.code == "US")
    }
  }

  @Test
  func `a table that refers to itself`() throws {
    // Sample: selfInfo
    struct TopicInfo: Decodable, FetchableRecord {
      var topic: Topic
      var parent: Topic?
      var children: Set<Topic>
    }

    let request =
      Topic
      .including(optional: Topic.parent)
      .including(all: Topic.children)
      .asRequest(of: TopicInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.map(\.parent?.name) == [nil, "Literature", "Novel", "Literature"])
    #expect(infos.map(\.children.count) == [2, 1, 0, 0])
  }

  @Test
  func `two foreign keys between two tables`() throws {
    // Sample: foreignKeys
    struct Person: Codable, FetchableRecord, TableRecord {
      static let written = hasMany(Work.self, key: "written", using: Work.authorKey)
      static let translated = hasMany(Work.self, key: "translated", using: Work.translatorKey)

      var id: Int64
    }

    struct Work: Codable, FetchableRecord, TableRecord {
      static let authorKey = ForeignKey(["authorId"])
      static let translatorKey = ForeignKey(["translatorId"])
      static let author = belongsTo(Person.self, using: authorKey)
      static let translator = belongsTo(Person.self, using: translatorKey)

      var id: Int64
    }
    // End
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE person (id INTEGER PRIMARY KEY);
          CREATE TABLE work (
            id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES person,
            translatorId INTEGER REFERENCES person);
          INSERT INTO person VALUES (1), (2);
          INSERT INTO work VALUES (1, 1, 2);
          """)
      struct WorkInfo: Decodable, FetchableRecord {
        var work: Work
        var author: Person?
        var translator: Person?
      }
      let request = Work.including(optional: Work.author).including(optional: Work.translator)
      let info = try WorkInfo.fetchOne(db, request)
      #expect(info?.author?.id == 1)
      #expect(info?.translator?.id == 2)
      let people = try Row.fetchAll(
        db, Person.including(all: Person.written).including(all: Person.translated))
      #expect(people.map { $0.prefetchedRows["written"]?.count } == [1, 0])
      #expect(people.map { $0.prefetchedRows["translated"]?.count } == [0, 1])
    }
  }

  @Test
  func `a foreign key of two columns, which the schema doesn't have`() throws {
    // Sample: composite
    struct Shelf: Codable, FetchableRecord, TableRecord {
      static let copies = hasMany(Copy.self, using: Copy.shelfKey)

      var room: String
      var number: Int
    }

    struct Copy: Codable, FetchableRecord, TableRecord {
      static let shelfKey = ForeignKey(["shelfRoom", "shelfNumber"], to: ["room", "number"])
      static let shelf = belongsTo(Shelf.self, using: shelfKey)

      var id: Int64
    }
    // End
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE shelf (room TEXT, number INTEGER, PRIMARY KEY (room, number));
          CREATE TABLE copy (id INTEGER PRIMARY KEY, shelfRoom TEXT, shelfNumber INTEGER);
          INSERT INTO shelf VALUES ('A', 1), ('A', 2);
          INSERT INTO copy VALUES (1, 'A', 2), (2, 'A', NULL);
          """)
      let request = Copy.including(optional: Copy.shelf)
      #expect(try Row.fetchAll(db, request).map { $0.scopes["shelf"]?["number"] as Int? } == [2, nil])
      #expect(try Shelf.having(Shelf.copies.isEmpty).fetchAll(db).map(\.number) == [1])
    }
  }

  @Test
  func `a key for decoding`() throws {
    // Sample: keys
    struct Novelist: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "author"
      static let novels = hasMany(Book.self).filter(Column("kind") == "novel").forKey("novels")

      var name: String
    }

    struct NovelistInfo: Decodable, FetchableRecord {
      var novelist: Novelist
      var novels: [Book]
    }
    // End
    let request = Novelist.including(all: Novelist.novels).asRequest(of: NovelistInfo.self)
    #expect(try dbQueue.all(request).map(\.novels.count) == [2, 2, 1, 0])
  }
}
