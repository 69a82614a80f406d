import Kindred
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord, Hashable, Identifiable {
  var id: Int64
  var name: String
  var email: String?
  var score: Int
}

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

private struct Citizenship: Codable, FetchableRecord, PersistableRecord, Hashable {
  var citizenId: Int64
  var countryId: Int64
  var note: String?
}

private struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
  var code: String
  var name: String
}

private struct Text: Codable, FetchableRecord, TableRecord, Hashable {
  var title: String
}

@Suite("Requests of a table's records")
struct TableRecordTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("email", .text).unique()
        t.column("score", .integer).notNull()
      }
      try db.create(table: "citizenship") { t in
        t.primaryKey {
          t.column("citizenId", .integer)
          t.column("countryId", .integer)
        }
        t.column("note", .text)
      }
      try db.create(table: "country") { t in
        t.primaryKey("code", .text)
        t.column("name", .text)
      }
      try db.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(title)")
      try db.execute(sql: "INSERT INTO text (title) VALUES ('the white whale'), ('a black sea')")
      for player in Self.players { try player.insert(db) }
      for country in [Country(code: "US", name: "States"), Country(code: "FR", name: "France")] {
        try country.insert(db)
      }
      try Citizenship(citizenId: 12, countryId: 45, note: "yes").insert(db)
      try Citizenship(citizenId: 12, countryId: 46).insert(db)
    }
  }

  private static let players = [
    Player(id: 1, name: "Arthur", email: "arthur@example.com", score: 100),
    Player(id: 2, name: "Barbara", email: nil, score: 1000),
    Player(id: 3, name: "Craig", email: "craig@example.com", score: 500),
  ]

  private func names(_ request: QueryInterfaceRequest<Player>) throws -> [String] {
    try queue.read { db in try request.fetchAll(db).map(\.name) }
  }

  private func columns(_ request: some FetchRequest) throws -> [String] {
    try queue.read { db in try #require(try Row.fetchOne(db, request)).columnNames }
  }

  // MARK: Names

  @Test("S12, S13, S14, S15, S16, S45: the table is called as the type, its first word in lower case")
  func tableNames() {
    #expect(Player.databaseTableName == "player")
    #expect(Place.databaseTableName == "place")
    #expect(PostalAddress.databaseTableName == "postalAddress")
    #expect(HTTPRequest.databaseTableName == "httpRequest")
    #expect(TOEFL.databaseTableName == "toefl")
  }

  @Test("S2, S11, S17: a type that says its table stands for its records; there is no class to inherit from")
  func customName() throws {
    #expect(try columns(RestrictedPlayer.all()) == ["id", "name"])
  }

  // MARK: Keys

  @Test("S1, S3: FetchableRecord and TableRecord give fetchAll, fetchOne, fetchCursor and fetchSet")
  func fetching() throws {
    try queue.read { db throws in
      #expect(try Player.fetchAll(db).count == 3)
      #expect(try Player.filter(Column("id") == 2).fetchOne(db)?.name == "Barbara")
      #expect(try Player.order(Column("id")).fetchOne(db) == Self.players[0])
      #expect(try Player.fetchSet(db) == Set(Self.players))
      let cursor = try Player.order(Column("id")).fetchCursor(db)
      #expect(try cursor.next()?.name == "Arthur")
      #expect(try Array(cursor).map(\.name) == ["Barbara", "Craig"])
    }
  }

  @Test("S4, S5, S6: a record by its primary key, by a unique key, by its identity")
  func fetchByKey() throws {
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

  @Test("S283, S284: filter(key:) and filter(keys:) on a primary key of one column; nil is nobody's")
  func filterKey() throws {
    #expect(try names(Player.filter(key: 1)) == ["Arthur"])
    let nobody: Int? = nil
    #expect(try names(Player.filter(key: nobody)) == [])
    #expect(try names(Player.filter(keys: [3, 1]).orderByPrimaryKey()) == ["Arthur", "Craig"])
    #expect(try names(Player.filter(keys: [Int]())) == [])
    #expect(try names(Player.filter(ids: [2])) == ["Barbara"])
    #expect(throws: AssociationError.missingPrimaryKey(table: "citizenship")) {
      try queue.read { db in try Citizenship.filter(key: 12).fetchAll(db) }
    }
  }

  @Test("S285, S286: filter by the columns of a composite or unique key")
  func filterUniqueKey() throws {
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

  @Test("S287: columns without a unique index are an error when the request runs, not when it is made")
  func filterNoUniqueKey() throws {
    let request = Player.filter(key: ["name": "Arthur"])
    #expect(throws: AssociationError.notUnique(columns: ["name"], table: "player")) {
      try queue.read { db in try request.fetchAll(db) }
    }
  }

  // MARK: Selection

  @Test("S273, S137: all() selects all columns")
  func all() throws {
    #expect(try columns(Player.all()) == ["id", "name", "email", "score"])
  }

  @Test("S274: none() matches no row")
  func none() throws {
    #expect(try names(Player.none()) == [])
  }

  @Test("S275, S276, S277: select columns, SQL, a literal")
  func select() throws {
    #expect(try columns(Player.select(Column("id"), Column("email"))) == ["id", "email"])
    #expect(try columns(Player.select([Column("id"), Column("email")])) == ["id", "email"])
    #expect(try columns(Player.select(sql: "id, email")) == ["id", "email"])
    #expect(try columns(Player.select(sql: "id, score + ? AS more", arguments: [1])) == ["id", "more"])
    #expect(try columns(Player.select(literal: SQLLiteral(sql: "id, email"))) == ["id", "email"])
  }

  @Test("S278, S279, S280: select values of a type")
  func selectAs() throws {
    try queue.read { db throws in
      #expect(try Player.select(max(Column("score")), as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.select([max(Column("score"))], as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.select(sql: "max(score)", as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.select(literal: SQLLiteral(sql: "max(score)"), as: Int.self).fetchOne(db) == 1000)
      #expect(try Player.order(Column("id")).select(Column("name"), as: String.self).fetchAll(db).count == 3)
    }
  }

  @Test("S281: annotated(with:) appends to the selection")
  func annotated() throws {
    let selected = [Column("id"), Column("email")]
    #expect(
      try columns(Player.select(selected).annotated(with: [Column("name")])) == ["id", "email", "name"])
    #expect(try columns(Player.select(selected).annotated(with: Column("name"))) == ["id", "email", "name"])
    #expect(try columns(Player.annotated(with: length(Column("name")).forKey("length"))).last == "length")
  }

  @Test("S135, S138, S301: databaseSelection is what every request selects unless it says otherwise")
  func databaseSelection() throws {
    #expect(try columns(RestrictedPlayer.all()) == ["id", "name"])
    #expect(
      try columns(RestrictedPlayer.filter(Column("score") > 1).order(Column("score"))) == ["id", "name"])
    #expect(try columns(RestrictedPlayer.select(Column("score"))) == ["score"])
  }

  @Test("S136: databaseSelection can have all columns and the rowid")
  func extendedSelection() throws {
    #expect(try columns(ExtendedPlayer.all()) == ["id", "name", "email", "score", "rowid"])
  }

  @Test("S139, S349: a databaseSelection of another type is not the requirement's: the selection stays `*`")
  func forgottenType() throws {
    #expect(try columns(ForgetfulPlayer.all()) == ["id", "name", "email", "score"])
  }

  @Test("S297: the selection as SQL, of the table or of an alias")
  func selectionSQL() throws {
    #expect(Player.selectionSQL() == #""player".*"#)
    #expect(Player.selectionSQL(alias: "p") == #""p".*"#)
    #expect(RestrictedPlayer.selectionSQL(alias: "p") == #""p"."id", "p"."name""#)
    let sql = "SELECT \(Player.selectionSQL(alias: "p")) FROM player p ORDER BY p.id"
    #expect(try queue.read { db in try Player.fetchAll(db, sql: sql) } == Self.players)
  }

  @Test("S298: how many columns the selection has, by the schema")
  func numberOfSelectedColumns() throws {
    try queue.read { db throws in
      #expect(try Player.numberOfSelectedColumns(db) == 4)
      #expect(try RestrictedPlayer.numberOfSelectedColumns(db) == 2)
      #expect(try ExtendedPlayer.numberOfSelectedColumns(db) == 5)
    }
  }

  // MARK: Filters

  @Test("S282, S288, S289: filter by an expression, by SQL, by a literal")
  func filter() throws {
    #expect(try names(Player.filter(Column("email") == "arthur@example.com")) == ["Arthur"])
    #expect(try names(Player.filter(sql: "email = ?", arguments: ["arthur@example.com"])) == ["Arthur"])
    #expect(
      try names(Player.filter(sql: "email = :email", arguments: ["email": "craig@example.com"])) == ["Craig"])
    let literal = SQLLiteral(sql: "email = ?", arguments: ["arthur@example.com"])
    #expect(try names(Player.filter(literal: literal)) == ["Arthur"])
    #expect(try names(Player.filter(Column("email") == nil)) == ["Barbara"])
    #expect(try names(Player.filter(Column("email") != nil).filter(Column("score") > 200)) == ["Craig"])
    #expect(try names(Player.filter([100, 500].contains(Column("score")) && Column("id") != 1)) == ["Craig"])
  }

  @Test("S290: what is interpolated in a literal is bound, and never becomes SQL")
  func literalInterpolation() throws {
    let name = "O'Brien' OR 1 --"
    #expect(try names(Player.filter(literal: "name = \(name)")) == [])
    #expect(
      try names(Player.filter(literal: "name = \("Craig") AND \(Column("score")) = \(500)")) == ["Craig"])
    #expect(try names(Player.filter(sql: "name <> '?' AND /* ? */ score = ?", arguments: [500])) == ["Craig"])
  }

  @Test("S332: filter by a closure about columns")
  func filterClosure() throws {
    #expect(try names(Player.filter { $0.name == "Craig" }) == ["Craig"])
    #expect(try names(Player.all().filter { $0.score >= 500 && $0.email != nil }) == ["Craig"])
  }

  @Test("S299, S300: matching searches the full-text index; nil matches nothing")
  func matching() throws {
    try queue.read { db throws in
      #expect(
        try Text.matching(FTS3Pattern(rawPattern: "whale")).fetchAll(db).map(\.title) == ["the white whale"])
      #expect(try Text.matching(FTS3Pattern(matchingAllTokensIn: "sea black")).fetchCount(db) == 1)
      #expect(try Text.matching(nil).fetchCount(db) == 0)
    }
  }

  // MARK: Order and limits

  @Test("S291, S293, S294, S346: order by columns, by SQL, by a literal")
  func order() throws {
    #expect(try names(Player.order(Column("score").desc)) == ["Barbara", "Craig", "Arthur"])
    #expect(try names(Player.order([Column("score")])) == ["Arthur", "Craig", "Barbara"])
    #expect(try names(Player.order(sql: "score DESC")) == ["Barbara", "Craig", "Arthur"])
    #expect(try names(Player.order(sql: "score % ?, name", arguments: [2]).reversed()).first == "Craig")
    #expect(try names(Player.order(literal: "score")) == ["Arthur", "Craig", "Barbara"])
    #expect(try names(Player.order(literal: SQLLiteral(sql: "score")).reversed()).first == "Barbara")
  }

  @Test("S333, S334: order and select by key paths")
  func keyPaths() throws {
    #expect(try names(Player.all().order(\.score.desc)) == ["Barbara", "Craig", "Arthur"])
    #expect(try columns(Player.all().select(\.name)) == ["name"])
  }

  @Test("S292: orderByPrimaryKey uses the table's own key")
  func orderByPrimaryKey() throws {
    try queue.read { db throws in
      #expect(try Player.orderByPrimaryKey().fetchAll(db).map(\.id) == [1, 2, 3])
      #expect(try Country.orderByPrimaryKey().fetchAll(db).map(\.code) == ["FR", "US"])
      #expect(try Citizenship.orderByPrimaryKey().reversed().fetchAll(db).map(\.countryId) == [46, 45])
    }
  }

  @Test("S295: limit and offset")
  func limit() throws {
    #expect(try names(Player.order(Column("id")).limit(1)) == ["Arthur"])
    #expect(try names(Player.order(Column("id")).limit(1, offset: 1)) == ["Barbara"])
    #expect(try names(Player.limit(0)) == [])
  }

  @Test("S296: fetchCount on a type and on requests, limited, distinct and grouped ones among them")
  func fetchCount() throws {
    try queue.read { db throws in
      #expect(try Player.fetchCount(db) == 3)
      #expect(try Player.filter(Column("score") > 100).fetchCount(db) == 2)
      #expect(try Player.limit(1).fetchCount(db) == 1)
      #expect(try Citizenship.select(Column("citizenId")).distinct().fetchCount(db) == 1)
      #expect(try Citizenship.all().group(Column("citizenId")).fetchCount(db) == 1)
    }
  }

  @Test("S7, S8, S9, S10, S271: records are inserted, updated, saved and deleted by what they encode")
  func persistence() throws {
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
}
