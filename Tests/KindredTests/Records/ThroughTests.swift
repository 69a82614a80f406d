import Kindred
import Testing

private struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
  var code: String
  static let passports = hasMany(Passport.self)
  static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
}

private struct Passport: Codable, FetchableRecord, PersistableRecord, Hashable {
  var countryCode: String
  var citizenId: Int64
  static let country = belongsTo(Country.self)
  static let citizen = belongsTo(Citizen.self)
}

private struct Citizen: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var name: String
  static let passports = hasMany(Passport.self)
  static let countries = hasMany(Country.self, through: passports, using: Passport.country)
}

private struct Document: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  static let sections = hasMany(Section.self)
  static let paragraphs = hasMany(Paragraph.self, through: sections, using: Section.paragraphs)
  static let inlineParagraphs = hasMany(
    Paragraph.self, through: Document.hasMany(Section.self), using: Section.hasMany(Paragraph.self))
}

private struct Section: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var documentId: Int64
  static let paragraphs = hasMany(Paragraph.self)
}

private struct Paragraph: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var sectionId: Int64
}

private struct Team: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  static let playerRoles = hasMany(PlayerRole.self).order(Column("position"))
  static let players = hasMany(Player.self, through: playerRoles, using: PlayerRole.player)
  var players: QueryInterfaceRequest<Player> { request(for: Team.players) }
}

private struct PlayerRole: Codable, FetchableRecord, PersistableRecord, Hashable {
  var teamId: Int64
  var playerId: Int64
  var position: Int
  static let player = belongsTo(Player.self)
}

private struct Player: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var name: String
}

private struct Volume: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var libraryId: Int64
  static let library = belongsTo(Branch.self)
  static let returnAddress = hasOne(Address.self, through: library, using: Branch.address)
}

private struct Branch: Codable, FetchableRecord, PersistableRecord, Hashable {
  static let databaseTableName = "library"
  var id: Int64
  static let address = hasOne(Address.self)
}

private struct Address: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var libraryId: Int64
  var city: String
}

@Suite("Associations through others")
struct ThroughTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE country (code TEXT PRIMARY KEY);
          CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE passport (
            countryCode TEXT REFERENCES country, citizenId INTEGER REFERENCES citizen,
            PRIMARY KEY (countryCode, citizenId));
          CREATE INDEX passport_on_citizenId ON passport (citizenId);
          CREATE TABLE document (id INTEGER PRIMARY KEY);
          CREATE TABLE section (id INTEGER PRIMARY KEY, documentId INTEGER REFERENCES document);
          CREATE INDEX section_on_documentId ON section (documentId);
          CREATE TABLE paragraph (id INTEGER PRIMARY KEY, sectionId INTEGER REFERENCES section);
          CREATE TABLE team (id INTEGER PRIMARY KEY);
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE playerRole (
            teamId INTEGER REFERENCES team, playerId INTEGER REFERENCES player, position INTEGER);
          CREATE TABLE library (id INTEGER PRIMARY KEY);
          CREATE TABLE address (id INTEGER PRIMARY KEY, libraryId INTEGER REFERENCES library, city TEXT);
          CREATE TABLE volume (id INTEGER PRIMARY KEY, libraryId INTEGER REFERENCES library);
          INSERT INTO country VALUES ('FR'), ('US'), ('XX');
          INSERT INTO citizen VALUES (1, 'Ann'), (2, 'Ben');
          INSERT INTO passport VALUES ('FR', 1), ('FR', 2), ('US', 1);
          INSERT INTO document VALUES (1), (2);
          INSERT INTO section VALUES (1, 1), (2, 1), (3, 2);
          INSERT INTO paragraph VALUES (1, 1), (2, 1), (3, 2), (4, 3);
          INSERT INTO team VALUES (1), (2);
          INSERT INTO player VALUES (1, 'Zoe'), (2, 'Amy'), (3, 'Max');
          INSERT INTO playerRole VALUES (1, 1, 2), (1, 2, 3), (1, 3, 1), (2, 1, 1);
          INSERT INTO library VALUES (1);
          INSERT INTO address VALUES (7, 1, 'Paris');
          INSERT INTO volume VALUES (1, 1);
          """)
    }
  }

  @Test
  func `S25, S43, S94: many-to-many from both ends, over one pivot`() throws {
    try queue.expect(
      Country.all().including(all: Country.citizens.select(Column("name")).order(Column("name")))
        .orderByPrimaryKey(),
      sql: """
        SELECT "country"."code" FROM "country" ORDER BY "country"."code";
        SELECT "citizen"."name",
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('["FR","US","XX"]'))
          AS "kindred:above" CROSS JOIN "passport"
          JOIN "citizen" ON "citizen"."id" = "passport"."citizenId"
          WHERE "passport"."countryCode" = "kindred:above"."kindred:0" ORDER BY "citizen"."name"
        """,
      rows: """
        [code:"FR"] citizens: ([name:"Ann"], [name:"Ben"])
        [code:"US"] citizens: ([name:"Ann"])
        [code:"XX"] citizens: ()
        """)
    struct CountryInfo: Decodable, FetchableRecord {
      var country: Country
      var citizens: Set<Citizen>
    }
    struct CitizenInfo: Decodable, FetchableRecord {
      var citizen: Citizen
      var countries: [Country]
    }
    try queue.read { db throws in
      let countries = try CountryInfo.fetchAll(
        db, Country.including(all: Country.citizens).orderByPrimaryKey())
      #expect(countries.map { $0.citizens.map(\.name).sorted() } == [["Ann", "Ben"], ["Ann"], []])
      let citizens = try CitizenInfo.fetchAll(
        db, Citizen.including(all: Citizen.countries.order(Column("code"))).orderByPrimaryKey())
      #expect(citizens.map { $0.countries.map(\.code) } == [["FR", "US"], ["FR"]])
    }
  }

  @Test
  func `S91, S178: including(required:) of hasMany through gives pairs, under the singular key`() throws {
    struct Citizenship: Decodable, FetchableRecord {
      var country: Country
      var citizen: Citizen
    }
    let pairs = try queue.read { db throws in
      try Citizenship.fetchAll(db, Country.including(required: Country.citizens).orderByPrimaryKey())
    }
    #expect(pairs.map(\.country.code) == ["FR", "FR", "US"])
  }

  @Test
  func `S27, S28, S271: a shortcut over two hasMany, declared in place too`() throws {
    struct Info: Decodable, FetchableRecord { var paragraphs: [Paragraph] }
    for association in [Document.paragraphs, Document.inlineParagraphs] {
      let request = Document.including(all: association.order(Column("id"))).order(Column("id"))
      let infos = try queue.read { db in try Info.fetchAll(db, request) }
      #expect(infos.map { $0.paragraphs.map(\.id) } == [[1, 2, 3], [4]])
    }
    #expect(
      try queue.read { db in try Document(id: 1).request(for: Document.paragraphs).fetchCount(db) } == 3)
  }

  @Test
  func `S224: however many ways lead to a record, it counts once`() throws {
    let fellows = Citizen.hasMany(Citizen.self, through: Citizen.countries, using: Country.citizens)
    let rows = try queue.read { db throws in
      try Row.fetchAll(
        db, Citizen.annotated(with: fellows.count, fellows.max(Column("id"))).order(Column("id")))
    }
    #expect(rows.map { $0["citizenCount"] as Int } == [2, 2])
    #expect(rows.map { $0["maxCitizenId"] as Int } == [2, 2])
  }

  @Test
  func `S26: through and using are associations of any kind`() throws {
    let ofDocument = Paragraph.hasMany(
      Section.self, through: Paragraph.belongsTo(Section.self),
      using: Section.hasMany(
        Section.self, through: Section.belongsTo(Document.self), using: Document.sections))
    try queue.expect(
      Paragraph.filter(key: 1).including(all: ofDocument.order(Column("id"))),
      sql: """
        SELECT "paragraph"."id", "paragraph"."sectionId" FROM "paragraph"
          WHERE "paragraph"."id" = 1;
        SELECT "section2"."id", "section2"."documentId" FROM "section"
          JOIN "document" ON "document"."id" = "section"."documentId"
          JOIN "section" AS "section2" ON "section2"."documentId" = "document"."id"
          WHERE "section"."id" = 1 ORDER BY "section2"."id"
        """,
      rows: """
        [id:1, sectionId:1] sections: ([id:1, documentId:1], [id:2, documentId:1])
        """)
    let fellows = Citizen.hasMany(Citizen.self, through: Citizen.countries, using: Country.citizens)
    try queue.expect(
      Citizen.filter(key: 2).including(all: fellows.select(Column("name")).order(Column("id"))),
      sql: """
        SELECT "citizen"."id", "citizen"."name" FROM "citizen" WHERE "citizen"."id" = 2;
        SELECT "citizen"."name" FROM "passport"
          JOIN "country" ON "country"."code" = "passport"."countryCode"
          JOIN "passport" AS "passport2" ON "passport2"."countryCode" = "country"."code"
          JOIN "citizen" ON "citizen"."id" = "passport2"."citizenId"
          WHERE "passport"."citizenId" = 2 ORDER BY "citizen"."id"
        """,
      rows: #"[id:2, name:"Ben"] citizens: ([name:"Ann"], [name:"Ben"])"#)
  }

  @Test
  func `S130, S131: the order of the pivot orders the records; a later order comes first`() throws {
    try queue.expect(
      Team(id: 1).players,
      sql: """
        SELECT "player"."id", "player"."name" FROM "playerRole"
          JOIN "player" ON "player"."id" = "playerRole"."playerId"
          WHERE "playerRole"."teamId" = 1 ORDER BY "playerRole"."position"
        """,
      rows: """
        [id:3, name:"Max"]
        [id:1, name:"Zoe"]
        [id:2, name:"Amy"]
        """)
    try queue.expect(
      Team(id: 1).players.order(Column("name")),
      sql: """
        SELECT "player"."id", "player"."name" FROM "playerRole"
          JOIN "player" ON "player"."id" = "playerRole"."playerId"
          WHERE "playerRole"."teamId" = 1 ORDER BY "player"."name", "playerRole"."position"
        """,
      rows: """
        [id:2, name:"Amy"]
        [id:3, name:"Max"]
        [id:1, name:"Zoe"]
        """)
    struct Info: Decodable, FetchableRecord { var players: [Player] }
    try queue.read { db throws in
      #expect(try Team(id: 1).players.fetchAll(db).map(\.name) == ["Max", "Zoe", "Amy"])
      #expect(
        try Team(id: 1).players.order(Column("name")).fetchAll(db).map(\.name) == ["Amy", "Max", "Zoe"])
      let infos = try Info.fetchAll(db, Team.including(all: Team.players).order(Column("id")))
      #expect(infos.map { $0.players.map(\.name) } == [["Max", "Zoe", "Amy"], ["Zoe"]])
      let named = try Info.fetchAll(
        db, Team.including(all: Team.players.order(Column("name"))).order(Column("id")))
      #expect(named.map { $0.players.map(\.name) } == [["Amy", "Max", "Zoe"], ["Zoe"]])
    }
  }

  @Test
  func `S21, S29, S40, S81, S179: hasOne through has the key of its target`() throws {
    struct Todo: FetchableRecord, Decodable {
      var volume: Volume
      var address: Address
    }
    try queue.read { db throws in
      let todos = try Todo.fetchAll(db, Volume.including(required: Volume.returnAddress))
      #expect(todos.map(\.address.city) == ["Paris"])
      #expect(
        try Volume(id: 1, libraryId: 1).request(for: Volume.returnAddress).fetchOne(db)?.city == "Paris")
    }
  }

  @Test
  func `S265, S266: direct and through associations of one base are fetched along in one request`() throws {
    struct Info: Decodable, FetchableRecord {
      var passports: [Passport]
      var citizens: [Citizen]
    }
    let request = Country.including(all: Country.passports).including(all: Country.citizens)
      .orderByPrimaryKey()
    let infos = try queue.read { db in try Info.fetchAll(db, request) }
    #expect(infos.map(\.passports.count) == [2, 1, 0])
    #expect(infos.map(\.citizens.count) == [2, 1, 0])
  }

  @Test
  func `S267: the most remote association can be nested as well`() throws {
    struct Info: Decodable, FetchableRecord {
      struct PassportInfo: Decodable {
        var passport: Passport
        var citizen: Citizen
      }
      var country: Country
      var passports: [PassportInfo]
    }
    let request = Country.including(all: Country.passports.including(required: Passport.citizen))
      .orderByPrimaryKey()
    let infos = try queue.read { db in try Info.fetchAll(db, request) }
    #expect(infos.map { Set($0.passports.map(\.citizen.name)) } == [["Ann", "Ben"], ["Ann"], []])
  }

  @Test
  func `S263: what is required behind an optional association takes only that along`() throws {
    try queue.expect(
      Citizen.all().including(
        optional: Citizen.passports.including(required: Passport.country.filter(Column("code") == "US"))
      ).order(Column("id")),
      sql: """
        SELECT "citizen"."id", "citizen"."name", "passport"."countryCode", "passport"."citizenId",
          "country"."code" FROM "citizen" LEFT JOIN ("passport"
          JOIN "country" ON "country"."code" = "passport"."countryCode"
          AND "country"."code" = 'US') ON "passport"."citizenId" = "citizen"."id"
          ORDER BY "citizen"."id"
        """,
      rows: """
        [id:1, name:"Ann"] passport: [countryCode:"US", citizenId:1] country: [code:"US"]
        [id:2, name:"Ben"] passport: [countryCode:NULL, citizenId:NULL] country: [code:NULL]
        """)
    struct Info: Decodable, FetchableRecord {
      var citizen: Citizen
      var passport: Passport?
      var country: Country?
    }
    let french = Passport.country.filter(Column("code") == "FR")
    let request = Citizen.including(optional: Citizen.passports.including(required: french)).order(
      Column("id"))
    let infos = try queue.read { db in try Info.fetchAll(db, request) }
    #expect(infos.map(\.citizen.name) == ["Ann", "Ben"])
    #expect(infos.map(\.country?.code) == ["FR", "FR"])
    let none = Citizen.including(
      optional: Citizen.passports.including(required: Passport.country.filter(Column("code") == "XX")))
    #expect(try queue.read { db in try Info.fetchAll(db, none).map(\.passport) } == [nil, nil])
  }
}
