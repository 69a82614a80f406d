import Kindred
import Testing

private struct Author: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  var name: String

  static let books = hasMany(Book.self)  // association key "books"
  static let paintings = hasMany(Painting.self)  // association key "paintings"
  var books: QueryInterfaceRequest<Book> {
    request(for: Author.books)
  }
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
}

private struct Painting: TableRecord {}

@Suite("The guide of associations: aggregates")
struct AggregatesTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  private func names(_ request: QueryInterfaceRequest<Author>) throws -> [String] {
    try dbQueue.read { db in try request.fetchAll(db).map(\.name) }
  }

  @Test
  func `S84, S85, S256: of a single record`() throws {
    let yearColumn = Column("year")
    try dbQueue.read { db throws in
      let author: Author = try #require(try Author.fetchOne(db))
      // The number of books by this author
      let bookCount = try author.books.fetchCount(db)  // Int
      #expect(bookCount == 2)
      // The year of the most recent book by this author
      let request = author.books.select(max(yearColumn))
      let maxBookYear = try Int.fetchOne(db, request)  // Int?
      #expect(maxBookYear == 1876)
    }
  }

  @Test
  func `S217, S240, S241: lazy and productive authors`() throws {
    try dbQueue.read { db throws in
      let lazyAuthors =
        try Author
        .having(Author.books.isEmpty)
        .fetchAll(db)  // [Author]
      #expect(lazyAuthors.map(\.name) == ["Sappho"])
      let productiveAuthors: [Author] =
        try Author
        .having(Author.books.isEmpty == false)
        .fetchAll(db)
      #expect(productiveAuthors.map(\.id) == [1, 2, 4, 5])
      try expectSQL(
        Author.having(Author.books.isEmpty), db,
        """
        SELECT author.*
        FROM author
        WHERE NOT EXISTS (SELECT 1 FROM book WHERE book.authorId = author.id)
        """)
      try expectSQL(
        Author.having(Author.books.isEmpty == false), db,
        """
        SELECT author.*
        FROM author
        WHERE (NOT EXISTS (SELECT 1 FROM book WHERE book.authorId = author.id)) = ?1
        """)
    }
  }

  @Test
  func `S216, S219, S223, S224, S257: each author with a count and a maximum`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookCount: Int
      var maxBookYear: Int?
    }
    try dbQueue.read { db throws in
      let request = Author.annotated(
        with:
          Author.books.count,
        Author.books.max(Column("year")))
      let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
      #expect(authorInfos.map(\.bookCount) == [2, 2, 0, 1, 1])
      #expect(authorInfos.map(\.maxBookYear) == [1876, 1862, nil, 1605, 1994])
      try expectSQL(
        request, db,
        """
        SELECT author.*, (SELECT COUNT(*) FROM book WHERE book.authorId = author.id), (SELECT
        MAX(book.year) FROM book WHERE book.authorId = author.id)
        FROM author
        """)
    }
  }

  @Test
  func `S225, S226, S227, S228, S229, S230, S231, S218, S220, S221, S222: default names`() throws {
    let request = Author.annotated(with: [
      Author.books.isEmpty, Author.books.count, Author.books.min(Column("year")),
      Author.books.max(Column("year")), Author.books.average(Column("price")),
      Author.books.sum(Column("awards")),
    ])
    try dbQueue.read { db throws in
      let row = try #require(try Row.fetchOne(db, request.order(Column("id").desc)))
      #expect(
        row.columnNames.suffix(6) == [
          "hasNoBook", "bookCount", "minBookYear", "maxBookYear", "averageBookPrice", "bookAwardsSum",
        ])
      let total = Author.annotated(with: Author.books.total(Column("awards"))).filter(key: 3)
      #expect(try Row.fetchOne(db, total)?["bookAwardsSum"] == 0.0)
      let sum = Author.annotated(with: Author.books.sum(Column("awards"))).filter(key: 3)
      #expect(try Row.fetchOne(db, sum)?["bookAwardsSum"] == Int?.none)
    }
  }

  @Test
  func `S235, S237, S238: names of one's own`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var numberOfBooks: Int
      var hasBooks: Bool
      var workCount: Int
    }
    let numberOfBooks = Author.books.count.forKey("numberOfBooks")  // <--
    let hasBooks = (Author.books.isEmpty == false).forKey("hasBooks")  // <--
    let workCount = (Author.books.count + Author.paintings.count).forKey("workCount")  // <--
    let request = Author.annotated(with: numberOfBooks, hasBooks, workCount)
    try dbQueue.read { db throws in
      let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
      #expect(authorInfos.map(\.numberOfBooks) == [2, 2, 0, 1, 1])
      #expect(authorInfos.map(\.hasBooks) == [true, true, false, true, true])
      #expect(authorInfos.map(\.workCount) == [2, 4, 1, 1, 1])
      try expectSQL(
        request, db,
        """
        SELECT author.*, (SELECT COUNT(*) FROM book WHERE book.authorId = author.id), (NOT EXISTS
        (SELECT 1 FROM book WHERE book.authorId = author.id)) = ?1, (SELECT COUNT(*) FROM book WHERE
        book.authorId = author.id) + (SELECT COUNT(*) FROM painting WHERE painting.authorId =
        author.id)
        FROM author
        """)
    }
  }

  @Test
  func `S236, S344: names of the record's coding keys, which are called CodingKeys`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var numberOfBooks: Int

      static func all() -> QueryInterfaceRequest<AuthorInfo> {
        let numberOfBooks = Author.books.count.forKey(CodingKeys.numberOfBooks)  // <--
        return
          Author
          .annotated(with: numberOfBooks)
          .asRequest(of: AuthorInfo.self)
      }
    }
    let authorInfos: [AuthorInfo] = try dbQueue.read { db in try AuthorInfo.all().fetchAll(db) }
    #expect(authorInfos.map(\.numberOfBooks) == [2, 2, 0, 1, 1])
  }

  @Test
  func `S239, S242, S243, S244, S245, S246: conditions`() throws {
    #expect(try names(Author.having(Author.books.count >= 2)) == ["Herman Melville", "Victor Hugo"])
    #expect(try names(Author.having(Author.books.max(Column("year")) >= 1900)) == ["Jules Verne"])
    let novels = Author.books.filter(Column("kind") == "novel")
    #expect(try names(Author.having(novels.isEmpty == false)).count == 4)
    #expect(
      try names(Author.having(Author.books.count > Author.paintings.count)) == [
        "Herman Melville", "Miguel de Cervantes", "Jules Verne",
      ])
    #expect(try names(Author.having(Author.books.isEmpty && !Author.paintings.isEmpty)) == ["Sappho"])
    try dbQueue.read { db throws in
      try expectSQL(
        Author.having(novels.isEmpty == false), db,
        """
        SELECT author.*
        FROM author
        WHERE (NOT EXISTS (SELECT 1 FROM book WHERE book.authorId = author.id AND book.kind = ?1)) = ?2
        """)
      try expectSQL(
        Author.having(Author.books.count > Author.paintings.count), db,
        """
        SELECT author.*
        FROM author
        WHERE (SELECT COUNT(*) FROM book WHERE book.authorId = author.id) > (SELECT COUNT(*) FROM
        painting WHERE painting.authorId = author.id)
        """)
    }
  }

  @Test
  func `S234, S247, S248, S249, S250, S251: operators and functions`() throws {
    struct Team: Codable, FetchableRecord, TableRecord {
      var id: Int64
      static let players = hasMany(Player.self)
    }
    struct Player: TableRecord {}
    let condition = Author.books.isEmpty && Author.paintings.isEmpty
    #expect(try names(Author.having(condition)).isEmpty)
    let workCount = Author.books.count + Author.paintings.count
    let request = Author.annotated(with: workCount.forKey("workCount"))
    #expect(
      try dbQueue.read { db in try Row.fetchAll(db, request).map { $0["workCount"] as Int } } == [
        2, 4, 1, 1, 1,
      ])

    let teams = try Databases.make(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY);
      CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, score INTEGER);
      CREATE INDEX player_on_teamId ON player (teamId);
      INSERT INTO team VALUES (1), (2);
      INSERT INTO player VALUES (1, 1, -7), (2, 1, -9);
      """)
    try teams.read { db throws in
      let least = Team.annotated(with: Team.players.min(Column("score")) ?? 0)
      try expectSQL(
        least, db,
        """
        SELECT team.*, ifnull((SELECT MIN(player.score) FROM player WHERE player.teamId = team.id), ?1)
        FROM team
        """)
      #expect(try Row.fetchAll(db, least).map { $0["minPlayerScore"] as Int } == [-9, 0])
      let greatest = Team.annotated(with: abs(Team.players.max(Column("score"))))
      try expectSQL(
        greatest, db,
        """
        SELECT team.*, abs((SELECT MAX(player.score) FROM player WHERE player.teamId = team.id))
        FROM team
        """)
      #expect(try Row.fetchAll(db, greatest).map { $0[1] as Int? } == [7, nil])
    }
  }

  @Test
  func `S252, S253, S254, S255: each aggregate counts what its own association is filtered to`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var novelCount: Int
      var theatrePlayCount: Int
    }
    struct YearInfo: Decodable, FetchableRecord {
      var author: Author
      var minBookYear: Int?
      var maxBookYear: Int?
    }
    try dbQueue.read { db throws in
      let years = Author.annotated(
        with:
          Author.books.min(Column("year")),  // association key "books"
        Author.books.max(Column("year")))  // association key "books"
      #expect(try YearInfo.fetchAll(db, years).map(\.minBookYear) == [1851, 1830, nil, 1605, 1994])

      let novelCount = Author.books
        .filter(Column("kind") == "novel")
        .forKey("novels")  // association key "novels"
        .count
      let theatrePlayCount = Author.books
        .filter(Column("kind") == "theatrePlay")
        .forKey("theatrePlays")  // association key "theatrePlays"
        .count
      let request = Author.annotated(with: novelCount, theatrePlayCount)
      let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
      #expect(authorInfos.map(\.novelCount) == [1, 1, 0, 1, 1])
      #expect(authorInfos.map(\.theatrePlayCount) == [0, 1, 0, 0, 0])
      try expectSQL(
        request, db,
        """
        SELECT author.*, (SELECT COUNT(*) FROM book WHERE book.authorId = author.id AND book.kind =
        ?1), (SELECT COUNT(*) FROM book WHERE book.authorId = author.id AND book.kind = ?2)
        FROM author
        """)

      // With one key for both, the original counts books that are of both kinds, of which there are none.
      let novels = Author.books  // association key "books"
        .filter(Column("kind") == "novel")
        .count
        .forKey("novelCount")
      let theatrePlays = Author.books  // association key "books"
        .filter(Column("kind") == "theatrePlay")
        .count
        .forKey("theatrePlayCount")
      let same = try AuthorInfo.fetchAll(db, Author.annotated(with: novels, theatrePlays))
      #expect(same.map(\.novelCount) == [1, 1, 0, 1, 1])
      #expect(same.map(\.theatrePlayCount) == [0, 1, 0, 0, 0])
    }
  }
}
