import Kindred
import Testing

// The part of TableRecord's reference page about associations. Errors of the page that are corrected here:
// `library.address`, `Coutry.citizens`, and properties of optional records that are printed without unwrapping.

private struct Author: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  var name: String
  static let books = hasMany(Book.self)
  var books: QueryInterfaceRequest<Book> {
    return request(for: Author.books)
  }
}

private struct Book: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  var authorId: Int64?
  var libraryId: Int64?
  var title: String
  static let author = belongsTo(Author.self)
  var author: QueryInterfaceRequest<Author> {
    return request(for: Book.author)
  }
  static let library = belongsTo(Library.self)
  static let returnAddress = hasOne(Address.self, through: library, using: Library.address)
  var returnAddress: QueryInterfaceRequest<Address> {
    return request(for: Book.returnAddress)
  }
}

private struct Library: TableRecord {
  static let address = hasOne(Address.self)
}

private struct Address: Codable, FetchableRecord, TableRecord {
  var street: String
}

private struct Country: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var code: String
  var name: String
  static let passports = hasMany(Passport.self)
  static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
  var citizens: QueryInterfaceRequest<Citizen> {
    return request(for: Country.citizens)
  }
  static let demographics = hasOne(Demographics.self)
  var demographics: QueryInterfaceRequest<Demographics> {
    return request(for: Country.demographics)
  }
}

private struct Passport: TableRecord {
  static let citizen = belongsTo(Citizen.self)
}

private struct Citizen: Codable, FetchableRecord, TableRecord {
  var name: String
}

private struct Demographics: Codable, FetchableRecord, TableRecord {
  var population: Int
}

private struct Team: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  static let players = hasMany(Player.self)
  var players: QueryInterfaceRequest<Player> {
    return request(for: Team.players)
  }
}

private struct Player: Codable, FetchableRecord, TableRecord {
  var id: Int64
  static let team = belongsTo(Team.self)
  static let books = hasMany(Item.self, key: "books")
}

private struct Item: TableRecord {}

@Suite("The reference page of TableRecord: associations")
struct AssociationReferenceTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.make(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE library (id INTEGER PRIMARY KEY);
      CREATE TABLE address (id INTEGER PRIMARY KEY, libraryId INTEGER REFERENCES library, street TEXT);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, libraryId INTEGER REFERENCES library,
        title TEXT);
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE passport (
        id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country, citizenId INTEGER REFERENCES citizen);
      CREATE TABLE demographics (id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country, population);
      CREATE TABLE team (id INTEGER PRIMARY KEY, avgScore INTEGER);
      CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, score INTEGER);
      CREATE INDEX player_on_teamId ON player (teamId);
      CREATE TABLE item (id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player);

      INSERT INTO author VALUES (1, 'Melville');
      INSERT INTO library VALUES (1);
      INSERT INTO address VALUES (1, 1, 'Quai François-Mauriac');
      INSERT INTO book VALUES (1, 1, 1, 'Moby-Dick'), (2, NULL, NULL, 'Beowulf');
      INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States of America');
      INSERT INTO citizen VALUES (1, 'Ada'), (2, 'Bob');
      INSERT INTO passport VALUES (1, 'FR', 1), (2, 'US', 1), (3, 'FR', 2);
      INSERT INTO demographics VALUES (1, 'FR', 67);
      INSERT INTO team VALUES (1, 200);
      INSERT INTO player VALUES (1, 1, 100), (2, 1, 300);
      INSERT INTO item VALUES (1, 1), (2, 1);
      """)
  }

  @Test
  func `S22, S80, S82, S191: a book belongs to an author`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Author?
    }
    // A request for all books with their authors:
    let request = Book.including(optional: Book.author)
    let bookInfos = try dbQueue.read { db in
      return try BookInfo.fetchAll(db, request)
    }
    let lines = bookInfos.map { bookInfo in "\(bookInfo.book.title) by \(bookInfo.author?.name ?? "?")" }
    #expect(lines == ["Moby-Dick by Melville", "Beowulf by ?"])
    try dbQueue.read { db throws in
      let book: Book = try #require(try Book.fetchOne(db))
      let author = try book.author.fetchOne(db)  // Author?
      #expect(author?.name == "Melville")
    }
  }

  @Test
  func `S23, S91, S177: an author has many books`() throws {
    struct Authorship: FetchableRecord, Decodable {
      var author: Author
      var book: Book
    }
    // A request for all (author, book) pairs:
    let request = Author.including(required: Author.books)
    let authorships = try dbQueue.read { db in
      return try Authorship.fetchAll(db, request)
    }
    let lines = authorships.map { authorship in "\(authorship.author.name) wrote \(authorship.book.title)" }
    #expect(lines == ["Melville wrote Moby-Dick"])
    try dbQueue.read { db throws in
      let author: Author = try #require(try Author.fetchOne(db))
      let books = try author.books.fetchAll(db)  // [Book]
      #expect(books.map(\.title) == ["Moby-Dick"])
    }
  }

  @Test
  func `S25, S40, S178: a country has many citizens`() throws {
    struct Citizenship: FetchableRecord, Decodable {
      var country: Country
      var citizen: Citizen
    }
    // A request for all (country, citizen) pairs:
    let request = Country.including(required: Country.citizens)
    let citizenships = try dbQueue.read { db in
      return try Citizenship.fetchAll(db, request)
    }
    let lines = citizenships.map { citizenship in
      "\(citizenship.citizen.name) is a citizen of \(citizenship.country.name)"
    }
    #expect(
      Set(lines) == [
        "Ada is a citizen of France", "Bob is a citizen of France",
        "Ada is a citizen of United States of America",
      ])
    try dbQueue.read { db throws in
      try expectSQL(
        request, db,
        """
        SELECT country.*, citizen.*
        FROM country
        JOIN passport ON passport.countryCode = country.code
        JOIN citizen ON citizen.id = passport.citizenId
        """)
      let country: Country = try #require(try Country.fetchOne(db))
      let citizens = try country.citizens.fetchAll(db)  // [Citizen]
      #expect(citizens.map(\.name) == ["Ada", "Bob"])
    }
  }

  @Test
  func `S24, S82, S338: a country has one demographic profile`() throws {
    struct CountryInfo: FetchableRecord, Decodable {
      var country: Country
      var demographics: Demographics?
    }
    // A request for all countries with their demographic profile:
    let request = Country.including(optional: Country.demographics)
    let countryInfos = try dbQueue.read { db in
      return try CountryInfo.fetchAll(db, request)
    }
    #expect(countryInfos.map(\.demographics?.population) == [67, nil])
    try dbQueue.read { db throws in
      let country: Country = try #require(try Country.fetchOne(db))
      let demographics = try country.demographics.fetchOne(db)  // Demographics?
      #expect(demographics?.population == 67)
    }
  }

  @Test
  func `S29, S82, S179, S356: a book is returned to the address of its library`() throws {
    struct Todo: FetchableRecord, Decodable {
      var book: Book
      var address: Address
    }
    // A request for all (book, returnAddress) pairs:
    let request = Book.including(required: Book.returnAddress)
    let todos = try dbQueue.read { db in
      return try Todo.fetchAll(db, request)
    }
    #expect(todos.map(\.address.street) == ["Quai François-Mauriac"])
    try dbQueue.read { db throws in
      try expectSQL(
        request, db,
        """
        SELECT book.*, address.*
        FROM book
        JOIN library ON library.id = book.libraryId
        JOIN address ON address.libraryId = library.id
        """)
      let book: Book = try #require(try Book.fetchOne(db))
      let address = try book.returnAddress.fetchOne(db)  // Address?
      #expect(address?.street == "Quai François-Mauriac")
    }
  }

  @Test
  func `S80: the players of a team`() throws {
    try dbQueue.read { db throws in
      let team: Team = try #require(try Team.fetchOne(db))
      let players = try team.players.fetchAll(db)  // [Player]
      #expect(players.map(\.id) == [1, 2])
    }
  }

  @Test
  func `S223, S224, S239, S240, S350: aggregates`() throws {
    try dbQueue.read { db throws in
      let requests = [
        Player.annotated(with: Player.books.count), Player.annotated(with: [Player.books.count]),
      ]
      for request in requests {
        #expect(try Row.fetchAll(db, request).map { $0["bookCount"] as Int } == [2, 0])
      }
      var request = Player.all()
      request = request.having(Player.books.isEmpty)
      #expect(try request.fetchAll(db).map(\.id) == [2])
    }
  }

  @Test
  func `S156, S157: an alias of the base in the filter of an association`() throws {
    let playerAlias = TableAlias()
    let request =
      Player
      .aliased(playerAlias)
      .including(required: Player.team.filter(Column("avgScore") < playerAlias[Column("score")]))
    try dbQueue.read { db throws in
      #expect(try request.fetchAll(db).map(\.id) == [2])
      try expectSQL(
        request, db,
        """
        SELECT player.*, team.*
        FROM player
        JOIN team ON team.id = player.teamId AND team.avgScore < player.score
        """)
    }
  }
}
