import Kindred
import Testing

// The reference page of TableRecord, except for its part about associations, which is in AssociationReferenceTests.
// Errors of the page that are corrected here: `le request`, and a literal without its closing quote. `static var
// databaseTableName` is a `let` in Swift 6.

private struct Player: Codable, FetchableRecord, TableRecord, Equatable {
  static let databaseTableName = "player"

  var id: Int64
  var name: String?
  var email: String?
  var score: Int?
}

private struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
}

private struct Citizenship: Codable, FetchableRecord, TableRecord {
  var citizenId: Int64
  var countryId: Int64
}

private struct Passport: Codable, FetchableRecord, TableRecord {
  var personId: Int64
  var countryCode: String
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var title: String
}

@Suite("The reference page of TableRecord")
struct TableRecordReferenceTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.make(
      """
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT, score INTEGER);
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE citizenship (citizenId INTEGER, countryId INTEGER, PRIMARY KEY (citizenId, countryId));
      CREATE TABLE passport (personId INTEGER, countryCode TEXT, number TEXT,
        UNIQUE (personId, countryCode));
      CREATE VIRTUAL TABLE book USING fts5(title);
      INSERT INTO player VALUES
        (123, 'Arthur', 'arthur@example.com', 100), (1, 'Barbara', NULL, 300), (2, 'O''Brien', NULL, 200);
      INSERT INTO country VALUES ('US'), ('FR');
      INSERT INTO citizenship VALUES (12, 45), (12, 46);
      INSERT INTO passport VALUES (1, 'FR', 'a'), (1, 'US', 'b'), (2, 'FR', 'c');
      INSERT INTO book VALUES ('Moby-Dick'), ('Toilers of the Sea');
      """)
  }

  @Test
  func `S4, S5: records by their keys`() throws {
    try dbQueue.read { db throws in
      #expect(try Player.fetchOne(db, key: 123)?.name == "Arthur")  // Player?
      let citizenship = try Citizenship.fetchOne(db, key: ["citizenId": 12, "countryId": 45])  // Citizenship?
      #expect(citizenship?.countryId == 45)
    }
  }

  @Test
  func `S11, S12, S13, S14, S15, S16: table names`() throws {
    struct Place: TableRecord {}
    struct PostalAddress: TableRecord {}
    struct HTTPRequest: TableRecord {}
    struct TOEFL: TableRecord {}
    let types: [any TableRecord.Type] = [
      Player.self, Place.self, PostalAddress.self, HTTPRequest.self, TOEFL.self,
    ]
    #expect(
      types.map { $0.databaseTableName } == ["player", "place", "postalAddress", "httpRequest", "toefl"])
    try dbQueue.read { db throws in
      #expect(try Player.fetchAll(db).count == 3)
      try expectSQL(Player.all(), db, "SELECT player.* FROM player")
    }
  }

  @Test
  func `S135, S136, S349: default selections`() throws {
    struct RestrictedPlayer: TableRecord {
      static let databaseTableName = "player"
      static let databaseSelection: [SQLSelectable] = [Column("id"), Column("name")]
    }
    struct ExtendedPlayer: TableRecord {
      static let databaseTableName = "player"
      static let databaseSelection: [SQLSelectable] = [AllColumns(), Column.rowID]
    }
    try dbQueue.read { db throws in
      try expectSQL(RestrictedPlayer.all(), db, "SELECT player.id, player.name FROM player")
      try expectSQL(ExtendedPlayer.all(), db, "SELECT player.*, player.rowid FROM player")
    }
  }

  @Test
  func `S299, S300: full-text search`() throws {
    try dbQueue.read { db throws in
      let pattern = FTS3Pattern(matchingAnyTokenIn: "sea")
      let request = Book.matching(pattern)
      #expect(try request.fetchAll(db).map(\.title) == ["Toilers of the Sea"])
      try expectSQL(request, db, "SELECT book.* FROM book WHERE (book.book MATCH ?1)")
      #expect(try Book.matching(nil).fetchCount(db) == 0)
    }
  }

  @Test
  func `S273, S274, S275, S276, S277: all, none, and selected columns`() throws {
    try dbQueue.read { db throws in
      try expectSQL(Player.all(), db, "SELECT player.* FROM player")
      #expect(try Player.none().fetchCount(db) == 0)
      let requests = [
        Player.select(Column("id"), Column("email")),
        Player.select([Column("id"), Column("email")]),
        Player.select(sql: "id, email"),
        Player.select(literal: SQLLiteral(sql: "id, email")),
      ]
      for request in requests {
        #expect(try Row.fetchOne(db, request.filter(key: 123)) == ["id": 123, "email": "arthur@example.com"])
      }
      try expectSQL(requests[0], db, "SELECT player.id, player.email FROM player")
    }
  }

  @Test
  func `S278, S279, S280: values`() throws {
    try dbQueue.read { db throws in
      let requests = [
        Player.select([max(Column("score"))], as: Int.self),
        Player.select(max(Column("score")), as: Int.self),
        Player.select(sql: "max(score)", as: Int.self),
        Player.select(literal: SQLLiteral(sql: "max(score)"), as: Int.self),
      ]
      for request in requests {
        let maxScore: Int? = try request.fetchOne(db)
        #expect(maxScore == 300)
      }
      try expectSQL(requests[0], db, "SELECT MAX(player.score) FROM player")
    }
  }

  @Test
  func `S281: columns after the others`() throws {
    try dbQueue.read { db throws in
      let requests = [
        Player
          .select([Column("id"), Column("email")])
          .annotated(with: [Column("name")]),
        Player
          .select([Column("id"), Column("email")])
          .annotated(with: Column("name")),
      ]
      for request in requests {
        try expectSQL(
          request, db,
          """
          SELECT player.id, player.email, player.name
          FROM player
          """)
      }
    }
  }

  @Test
  func `S282, S283, S284, S288, S289, S290: filters`() throws {
    try dbQueue.read { db throws in
      let requests = [
        Player.filter(Column("email") == "arthur@example.com"),
        Player.filter(sql: "email = ?", arguments: ["arthur@example.com"]),
        Player.filter(literal: SQLLiteral(sql: "email = ?", arguments: ["arthur@example.com"])),
      ]
      for request in requests { #expect(try request.fetchAll(db).map(\.id) == [123]) }
      try expectSQL(requests[0], db, "SELECT player.* FROM player WHERE player.email = ?1")
      #expect(try Player.filter(literal: "name = \("O'Brien")").fetchAll(db).map(\.id) == [2])
      #expect(try Player.filter(key: 1).fetchAll(db).map(\.id) == [1])
      try expectSQL(Player.filter(key: 1), db, "SELECT player.* FROM player WHERE player.id = ?1")
      #expect(try Player.filter(keys: [1, 2, 3]).fetchCount(db) == 2)
      try expectSQL(
        Player.filter(keys: [1, 2, 3]), db,
        """
        SELECT player.*
        FROM player
        WHERE player.id IN (?1, ?2, ?3)
        """)
    }
  }

  @Test
  func `S285, S286, S287: filters on several columns`() throws {
    try dbQueue.read { db throws in
      let one = Passport.filter(key: ["personId": 1, "countryCode": "FR"])
      #expect(try one.fetchCount(db) == 1)
      try expectSQL(
        one, db,
        """
        SELECT passport.*
        FROM passport
        WHERE passport.countryCode = ?1 AND passport.personId = ?2
        """)
      let two = Passport.filter(keys: [
        ["personId": 1, "countryCode": "FR"], ["personId": 2, "countryCode": "FR"],
      ])
      #expect(try two.fetchCount(db) == 2)
      try expectSQL(
        two, db,
        """
        SELECT passport.*
        FROM passport
        WHERE (passport.countryCode = ?1 AND passport.personId = ?2 OR passport.countryCode = ?1 AND
        passport.personId = ?3)
        """)
      let notUnique = Passport.filter(key: ["number": "a"])
      #expect(throws: RecordKeyError.self) { try notUnique.fetchAll(db) }
    }
  }

  @Test
  func `S291, S292, S293, S294, S295: order and limit`() throws {
    try dbQueue.read { db throws in
      let requests = [
        Player.order(Column("name")),
        Player.order([Column("name")]),
        Player.order(sql: "name"),
        Player.order(literal: SQLLiteral(sql: "name")),
        Player.order(literal: "name"),
      ]
      for request in requests { #expect(try request.fetchAll(db).map(\.id) == [123, 1, 2]) }
      try expectSQL(requests[0], db, "SELECT player.* FROM player ORDER BY player.name")
      try expectSQL(Player.orderByPrimaryKey(), db, "SELECT player.* FROM player ORDER BY player.id")
      try expectSQL(Country.orderByPrimaryKey(), db, "SELECT country.* FROM country ORDER BY country.code")
      #expect(try Player.limit(1).fetchAll(db).count == 1)
      try expectSQL(Player.limit(1), db, "SELECT player.* FROM player LIMIT ?1")
    }
  }

  @Test
  func `S296, S297, S298: counts and selections as SQL`() throws {
    try dbQueue.read { db throws in
      #expect(try Player.fetchCount(db) == 3)
      #expect(try Player.numberOfSelectedColumns(db) == 4)
      let sql = "SELECT \(Player.selectionSQL()) FROM player"
      #expect(sql == "SELECT \"player\".* FROM player")
      let aliased = "SELECT \(Player.selectionSQL(alias: "p")) FROM player p"
      #expect(aliased == "SELECT \"p\".* FROM player p")
      #expect(try Player.fetchAll(db, sql: sql).count == 3)
      #expect(try Player.fetchAll(db, sql: aliased).count == 3)
    }
  }

  @Test
  @MainActor
  func `S302, S303, S304, S305: observations; of closures, the page leaves the parentheses out`() throws {
    var counts: [Int] = []
    var names: [[String?]] = []
    var firsts: [String?] = []
    let counting = Player.observationForCount()
    let countObserver = try counting.start(in: dbQueue) { (count: Int) in
      counts.append(count)
    }
    let listing = Player.observationForAll()
    let listObserver = try listing.start(in: dbQueue) { (players: [Player]) in
      names.append(players.map(\.name))
    }
    let first = Player.observationForFirst()
    let firstObserver = try first.start(in: dbQueue) { (player: Player?) in
      firsts.append(player?.name)
    }
    withExtendedLifetime([countObserver, listObserver, firstObserver]) {
      #expect(counts == [3])
      #expect(names == [["Barbara", "O'Brien", "Arthur"]])
      #expect(firsts == ["Barbara"])
    }
  }
}
