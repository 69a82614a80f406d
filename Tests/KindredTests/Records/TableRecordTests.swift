import Kindred
import Testing

private typealias Player = Club.Player
private typealias Citizenship = Club.Citizenship
private typealias Country = Club.Country

private struct Place: TableRecord {}
private struct PostalAddress: TableRecord {}
private struct HTTPRequest: TableRecord {}
private struct TOEFL: TableRecord {}

private struct RestrictedPlayer: TableRecord, Decodable, FetchableRecord, Hashable {
  static let databaseTableName = "player"
  static let databaseSelection: [any SQLSelectable] = [Column("id"), Column("name")]
  var id: Int64
  var name: String
}

private struct ExtendedPlayer: TableRecord {
  static let databaseTableName = "player"
  static let databaseSelection: [any SQLSelectable] = [AllColumns(), Column.rowID]
}

private struct ForgetfulPlayer: TableRecord {
  static let databaseTableName = "player"
  static let databaseSelection = [Column("id")]
}

@Suite("Requests of a table's records")
struct TableRecordTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try Club.make()
  }

  // MARK: Names

  @Test
  func `S12, S13, S14, S15, S16, S45: the table is called as the type, its first word in lower case`() {
    #expect(Player.databaseTableName == "player")
    #expect(Place.databaseTableName == "place")
    #expect(PostalAddress.databaseTableName == "postalAddress")
    #expect(HTTPRequest.databaseTableName == "httpRequest")
    #expect(TOEFL.databaseTableName == "toefl")
  }

  @Test
  func `S2, S11, S17: a type that names its table stands for its records, and inherits no class`() throws {
    #expect(try queue.columns(RestrictedPlayer.all()) == ["id", "name"])
  }

  // MARK: Keys

  @Test
  func `S1, S3: FetchableRecord and TableRecord give fetchAll, fetchOne, fetchCursor and fetchSet`() throws {
    try queue.read { db throws in
      #expect(try Player.fetchAll(db).count == 3)
      #expect(try Player.filter(Column("id") == 2).fetchOne(db)?.name == "Barbara")
      #expect(try Player.order(Column("id")).fetchOne(db) == Club.players[0])
      #expect(try Player.fetchSet(db) == Set(Club.players))
      let cursor = try Player.order(Column("id")).fetchCursor(db)
      #expect(try cursor.next()?.name == "Arthur")
      #expect(try Array(cursor).map(\.name) == ["Barbara", "Craig"])
    }
  }

  @Test
  func `S4, S5, S6: a record by its primary key, by a unique key, by its identity`() throws {
    try queue.read { db throws in
      #expect(try Player.fetchOne(db, key: 2)?.name == "Barbara")
      #expect(try Player.fetchOne(db, key: 7) == nil)
      #expect(try Country.fetchOne(db, key: "FR")?.name == "France")
      #expect(try Citizenship.fetchOne(db, key: ["citizenId": 12, "countryId": 45])?.note == "yes")
      #expect(try Player.fetchOne(db, id: 3)?.name == "Craig")
      let nobody: Int64? = nil
      #expect(try Player.fetchOne(db, id: nobody) == nil)
      #expect(try Player.fetchAll(db, keys: [1, 3]).count == 2)
      #expect(try Player.fetchAll(db, ids: [1, 3]).count == 2)
    }
  }

  @Test
  func `S283, S284: filter(key:) and filter(keys:) on a primary key of one column; nil matches nothing`()
    throws
  {
    try queue.expect(
      Player.filter(key: 1).select(Column("name")),
      sql: """
        SELECT "player"."name" FROM "player" WHERE "player"."id" = 1
        """,
      rows: #"[name:"Arthur"]"#)
    try queue.expect(
      Player.filter(keys: [1, 3]).select(Column("name")),
      sql: """
        SELECT "player"."name" FROM "player" WHERE "player"."id" IN (1, 3)
        """,
      rows: """
        [name:"Arthur"]
        [name:"Craig"]
        """)
    #expect(try queue.names(Player.filter(key: 1)) == ["Arthur"])
    let nobody: Int? = nil
    #expect(try queue.names(Player.filter(key: nobody)) == [])
    #expect(try queue.names(Player.filter(keys: [3, 1]).orderByPrimaryKey()) == ["Arthur", "Craig"])
    #expect(try queue.names(Player.filter(keys: [Int]())) == [])
    #expect(try queue.names(Player.filter(ids: [2])) == ["Barbara"])
    #expect(
      throws: RecordKeyError.notOneColumn(
        databaseTableName: "citizenship", columns: ["citizenId", "countryId"])
    ) {
      try queue.read { db in try Citizenship.filter(key: 12).fetchAll(db) }
    }
  }

  @Test
  func `S285, S286: filter by the columns of a composite or unique key`() throws {
    try queue.expect(
      Citizenship.filter(key: ["citizenId": 12, "countryId": 45]),
      sql: """
        SELECT "citizenship"."citizenId", "citizenship"."countryId", "citizenship"."note"
          FROM "citizenship" WHERE "citizenship"."citizenId" = 12 AND "citizenship"."countryId" = 45
        """,
      rows: #"[citizenId:12, countryId:45, note:"yes"]"#)
    try queue.expect(
      Citizenship.filter(keys: [["citizenId": 12, "countryId": 45], ["citizenId": 12, "countryId": 46]]),
      sql: """
        SELECT "citizenship"."citizenId", "citizenship"."countryId", "citizenship"."note"
          FROM "citizenship" WHERE ("citizenship"."citizenId" = 12
          AND "citizenship"."countryId" = 45 OR "citizenship"."citizenId" = 12
          AND "citizenship"."countryId" = 46)
        """,
      rows: """
        [citizenId:12, countryId:45, note:"yes"]
        [citizenId:12, countryId:46, note:NULL]
        """)
    try queue.read { db throws in
      #expect(try Player.filter(key: ["email": "craig@example.com"]).fetchOne(db)?.id == 3)
      let keys: [[String: (any DatabaseValueConvertible)?]] = [
        ["citizenId": 12, "countryId": 45], ["citizenId": 12, "countryId": 46],
      ]
      #expect(try Citizenship.filter(keys: keys).fetchCount(db) == 2)
      #expect(
        try Citizenship.filter(key: nil as [String: (any DatabaseValueConvertible)?]?).fetchCount(db) == 0)
    }
  }

  @Test
  func `S287: columns without a unique index are an error when the request runs, no earlier`() throws {
    let request = Player.filter(key: ["name": "Arthur"])
    #expect(throws: RecordKeyError.notUnique(databaseTableName: "player", columns: ["name"])) {
      try queue.read { db in try request.fetchAll(db) }
    }
  }

  // MARK: Selection

  @Test
  func `S273, S137: all() selects all columns`() throws {
    try queue.expect(
      Country.all(),
      sql: """
        SELECT "country"."code", "country"."name" FROM "country"
        """,
      rows: """
        [code:"US", name:"States"]
        [code:"FR", name:"France"]
        """)
    #expect(try queue.columns(Player.all()) == ["id", "name", "email", "score"])
  }

  @Test
  func `S274: none() matches no row`() throws {
    try queue.expect(
      Player.none().select(Column("id")),
      sql: """
        SELECT "player"."id" FROM "player" WHERE FALSE
        """,
      rows: "")
    #expect(try queue.names(Player.none()) == [])
  }

  @Test
  func `S275, S276, S277: select columns, SQL, a literal`() throws {
    #expect(try queue.columns(Player.select(Column("id"), Column("email"))) == ["id", "email"])
    #expect(try queue.columns(Player.select([Column("id"), Column("email")])) == ["id", "email"])
    #expect(try queue.columns(Player.select(sql: "id, email")) == ["id", "email"])
    #expect(try queue.columns(Player.select(sql: "id, score + ? AS more", arguments: [1])) == ["id", "more"])
    #expect(try queue.columns(Player.select(literal: SQLLiteral(sql: "id, email"))) == ["id", "email"])
  }

  @Test
  func `S278, S279, S280: select values of a type`() throws {
    try queue.read { db throws in
      #expect(try Player.select(max(Column("score")), as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.select([max(Column("score"))], as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.select(sql: "max(score)", as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.select(literal: SQLLiteral(sql: "max(score)"), as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.order(Column("id")).select(Column("name"), as: String.self).fetchAll(db).count == 3)
    }
  }

  @Test
  func `S281: annotated(with:) appends to the selection`() throws {
    try queue.expect(
      Player.filter(key: 1).select(Column("id")).annotated(with: Column("name"), Column("score") / 10),
      sql: """
        SELECT "player"."id", "player"."name", "player"."score" / 10 FROM "player"
          WHERE "player"."id" = 1
        """,
      rows: #"[id:1, name:"Arthur", "player"."score" / ?1:10]"#)
    let selected = [Column("id"), Column("email")]
    #expect(
      try queue.columns(Player.select(selected).annotated(with: [Column("name")])) == ["id", "email", "name"])
    #expect(
      try queue.columns(Player.select(selected).annotated(with: Column("name"))) == ["id", "email", "name"])
    #expect(
      try queue.columns(Player.annotated(with: length(Column("name")).forKey("length"))).last == "length")
  }

  @Test
  func `S135, S138, S301: databaseSelection is what every request selects unless it says otherwise`() throws {
    #expect(try queue.columns(RestrictedPlayer.all()) == ["id", "name"])
    #expect(
      try queue.columns(RestrictedPlayer.filter(Column("score") > 1).order(Column("score"))) == [
        "id", "name",
      ])
    let all = RestrictedPlayer.all()
    let requests = [
      RestrictedPlayer.filter(key: 1), RestrictedPlayer.filter(sql: "id = 1"),
      RestrictedPlayer.orderByPrimaryKey(), RestrictedPlayer.limit(1),
      RestrictedPlayer.aliased(TableAlias()), all.distinct(), all.reversed(),
    ]
    for request in requests { #expect(try queue.columns(request) == ["id", "name"]) }
    #expect(try queue.columns(RestrictedPlayer.annotated(with: Column("score"))) == ["id", "name", "score"])
    #expect(try queue.columns(RestrictedPlayer.select(Column("score"))) == ["score"])
  }

  @Test
  func `S136: databaseSelection can have all columns and the rowid, which has its column's name`() throws {
    #expect(try queue.columns(ExtendedPlayer.all()) == ["id", "name", "email", "score", "id"])
  }

  @Test
  func `S139, S349: a databaseSelection of another type isn't the requirement's: all columns stay`() throws {
    #expect(try queue.columns(ForgetfulPlayer.all()) == ["id", "name", "email", "score"])
  }

  @Test
  func `S297: the selection as SQL, of the table or of an alias`() throws {
    #expect(Player.selectionSQL() == #""player".*"#)
    #expect(Player.selectionSQL(alias: "p") == #""p".*"#)
    #expect(RestrictedPlayer.selectionSQL(alias: "p") == #""p"."id", "p"."name""#)
    let sql = "SELECT \(Player.selectionSQL(alias: "p")) FROM player p ORDER BY p.id"
    #expect(try queue.read { db in try Player.fetchAll(db, sql: sql) } == Club.players)
  }

  @Test
  func `S298: how many columns the selection has, by the schema`() throws {
    try queue.read { db throws in
      #expect(try Player.numberOfSelectedColumns(db) == 4)
      #expect(try RestrictedPlayer.numberOfSelectedColumns(db) == 2)
      #expect(try ExtendedPlayer.numberOfSelectedColumns(db) == 5)
    }
  }

  @Test
  func `S296: fetchCount on a type and on requests, limited, distinct and grouped ones among them`() throws {
    try queue.read { db throws in
      #expect(try Player.fetchCount(db) == 3)
      #expect(try Player.filter(Column("score") > 100).fetchCount(db) == 2)
      #expect(try Player.limit(1).fetchCount(db) == 1)
      #expect(try Citizenship.select(Column("citizenId")).distinct().fetchCount(db) == 1)
      #expect(try Citizenship.all().group(Column("citizenId")).fetchCount(db) == 1)
    }
  }

  @Test
  func `S7, S9, S10: records are inserted, updated, saved and deleted by what they encode`() throws {
    try queue.write { db throws in
      var player = Player(id: 9, name: "Dora", email: nil, score: 1)
      try player.insert(db)
      player.score = 2
      try player.update(db)
      #expect(try Player.fetchOne(db, key: 9)?.score == 2)
      player.name = "Daisy"
      try player.save(db)
      #expect(try Player.fetchOne(db, key: 9)?.name == "Daisy")
      #expect(try player.delete(db))
      #expect(try !player.delete(db))
      try player.save(db)
      #expect(try Player.fetchCount(db) == 4)
    }
  }

  // MARK: Keys

  private struct Draft: Codable, FetchableRecord, TableRecord, Identifiable {
    var id: String?
  }

  @Test
  func `no record has the identity nil, not even one whose key is NULL`() throws {
    try DatabaseQueue().write { db throws in
      try db.execute(sql: "CREATE TABLE draft (id TEXT PRIMARY KEY); INSERT INTO draft VALUES (NULL), ('a')")
      #expect(try Draft.fetchOne(db, id: nil) == nil)
      #expect(try Draft.fetchOne(db, id: "a")?.id == "a")
    }
  }
}
