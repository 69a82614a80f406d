import Kindred
import Testing

private struct Person: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var name: String
  var countryCode: String?
  static let country = belongsTo(Country.self)
}

private struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
  var code: String
  var name: String
}

private struct Image: Codable, FetchableRecord, PersistableRecord, Hashable {
  static let databaseTableName = "coverImage"
  var id: Int64
  var tomeId: Int64?
  var path: String
}

private struct Prize: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var tomeId: Int64
}

private struct Tome: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var title: String
  var authorId: Int64?
  var translatorId: Int64?
  static let author = belongsTo(Person.self, key: "author", using: ForeignKey(["authorId"]))
  static let translator = belongsTo(Person.self, key: "translator", using: ForeignKey(["translatorId"]))
  static let coverImage = hasOne(Image.self)
  static let prizes = hasMany(Prize.self)
}

private struct Employee: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var managerId: Int64?
  static let subordinates = hasMany(Employee.self, key: "subordinates")
  static let manager = belongsTo(Employee.self, key: "manager")
  static let plainManager = belongsTo(Employee.self)
}

@Suite("The tree of association keys, and what is decoded from it")
struct TreeTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT);
          CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT REFERENCES country);
          CREATE TABLE tome (
            id INTEGER PRIMARY KEY, title TEXT, authorId INTEGER REFERENCES person,
            translatorId INTEGER REFERENCES person);
          CREATE TABLE coverImage (id INTEGER PRIMARY KEY, tomeId INTEGER REFERENCES tome, path TEXT);
          CREATE TABLE prize (id INTEGER PRIMARY KEY, tomeId INTEGER REFERENCES tome);
          CREATE INDEX prize_on_tomeId ON prize (tomeId);
          CREATE TABLE employee (id INTEGER PRIMARY KEY, managerId INTEGER REFERENCES employee);
          CREATE INDEX employee_on_managerId ON employee (managerId);
          INSERT INTO country VALUES ('US', 'States'), ('FR', 'France');
          INSERT INTO person VALUES (1, 'Giono', 'FR'), (2, 'Melville', 'US'), (3, 'Anon', NULL);
          INSERT INTO tome VALUES (1, 'Moby-Dick', 2, 1), (2, 'Clarel', 2, NULL), (3, 'Beowulf', 3, NULL);
          INSERT INTO coverImage VALUES (1, 2, 'clarel.png');
          INSERT INTO prize VALUES (1, 1), (2, 1), (3, 1);
          INSERT INTO employee VALUES (1, NULL), (2, 1), (3, 1);
          """)
    }
  }

  private var request: QueryInterfaceRequest<Tome> {
    Tome.including(required: Tome.author.including(optional: Person.country))
      .including(optional: Tome.coverImage).including(all: Tome.prizes).order(Column("id"))
  }

  @Test
  func `S115, S172, S173, S174, S204, S205: a request is a tree of keys, each a slice of the row`() throws {
    try queue.expect(
      request.filter(key: 2),
      sql: """
        SELECT "tome"."id", "tome"."title", "tome"."authorId", "tome"."translatorId",
          "person"."id", "person"."name", "person"."countryCode", "country"."code",
          "country"."name", "coverImage"."id", "coverImage"."tomeId", "coverImage"."path"
          FROM "tome" JOIN "person" ON "person"."id" = "tome"."authorId"
          LEFT JOIN "country" ON "country"."code" = "person"."countryCode"
          LEFT JOIN "coverImage" ON "coverImage"."tomeId" = "tome"."id" WHERE "tome"."id" = 2
          ORDER BY "tome"."id";
        SELECT "prize"."id", "prize"."tomeId" FROM "prize" WHERE "prize"."tomeId" = 2
        """,
      rows: """
        [id:2, title:"Clarel", authorId:2, translatorId:NULL] author: [id:2, name:"Melville", countryCode:"US"] country: [code:"US", name:"States"] coverImage: [id:1, tomeId:2, path:"clarel.png"] prizes: ()
        """)
    try queue.read { db throws in
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.scopes.names == ["author", "coverImage"])
      #expect(row.scopes["author"]?.scopes.names == ["country"])
      #expect(row.scopes["author"]?["name"] == "Melville")
      #expect(row.scopes["author"]?.scopes["country"]?["code"] == "US")
      #expect(try Row.fetchAll(db, request).count == 3)
      let skipping = Tome.joining(optional: Tome.author.including(optional: Person.country))
      let joined = try #require(try Row.fetchOne(db, skipping))
      #expect(joined.scopes["author"]?.columnNames == [])
      #expect(joined.scopes["author"]?.scopes.names == ["country"])
    }
  }

  @Test
  func `S186, S187: a tree decodes into the properties of one record`() throws {
    struct TomeInfo: FetchableRecord, Decodable {
      var tome: Tome
      var author: Person
      var country: Country?
      var coverImage: Image?
      var prizes: [Prize]
    }
    let infos = try queue.read { db in try TomeInfo.fetchAll(db, request) }
    #expect(infos.map(\.author.name) == ["Melville", "Melville", "Anon"])
    #expect(infos.map(\.country?.code) == ["US", "US", nil])
    #expect(infos.map(\.coverImage?.path) == [nil, "clarel.png", nil])
    #expect(infos.map(\.prizes.count) == [3, 0, 0])
  }

  @Test
  func `S185, S194, S195, S196: nested records decode from the slices of their keys`() throws {
    struct TomeInfo: FetchableRecord, Decodable {
      struct PersonInfo: Decodable {
        var person: Person
        var country: Country?
      }
      enum CodingKeys: CodingKey { case tome, authorInfo, translatorInfo, coverImage }
      var tome: Tome
      var authorInfo: PersonInfo
      var translatorInfo: PersonInfo?
      var coverImage: Image?

      static func all() -> QueryInterfaceRequest<TomeInfo> {
        Tome.including(optional: Tome.coverImage)
          .including(
            required: Tome.author.forKey(CodingKeys.authorInfo).including(optional: Person.country)
          )
          .including(
            optional: Tome.translator.forKey(CodingKeys.translatorInfo).including(optional: Person.country)
          )
          .asRequest(of: TomeInfo.self)
      }
    }
    let infos = try queue.read { db in try TomeInfo.all().order(Column("id")).fetchAll(db) }
    #expect(infos.map(\.authorInfo.person.name) == ["Melville", "Melville", "Anon"])
    #expect(infos.map(\.authorInfo.country?.code) == ["US", "US", nil])
    #expect(infos.map(\.translatorInfo?.person.name) == ["Giono", nil, nil])
    #expect(infos.map(\.translatorInfo?.country?.code) == ["FR", nil, nil])
  }

  @Test
  func `S188, S189: keys are looked up breadth-first: the shallowest wins`() throws {
    struct Info: FetchableRecord, Decodable { var country: Person }
    let request = Tome.including(required: Tome.author.including(optional: Person.country))
      .including(required: Tome.author.forKey("country")).order(Column("id"))
    #expect(try queue.read { db in try Info.fetchAll(db, request).first?.country.name } == "Melville")
  }

  @Test
  func `S190: a key that is found nowhere decodes from the row itself`() throws {
    struct Info: FetchableRecord, Decodable {
      var whatever: Tome
      var author: Person
    }
    #expect(
      try queue.read { db in try Info.fetchAll(db, request).map(\.whatever.title).first } == "Moby-Dick")
  }

  @Test
  func `S176, S180, S181, S182, S183, S184: keys are given in definitions and in requests`() throws {
    struct Writer: TableRecord { static let databaseTableName = "person" }
    struct Publication: TableRecord {
      static let databaseTableName = "tome"
      static let writer = belongsTo(Writer.self, using: ForeignKey(["authorId"], to: ["id"])).forKey("writer")
      static let prizes = hasMany(Prize.self).forKey("honours")
    }
    try queue.read { db throws in
      let row = try #require(
        try Row.fetchOne(
          db, Publication.including(optional: Publication.writer).including(all: Publication.prizes)))
      #expect(row.scopes.names == ["writer"])
      #expect(row.prefetchedRows.keys == ["honours"])
      let renamed = Publication.including(optional: Publication.writer.forKey("author"))
      #expect(try #require(try Row.fetchOne(db, renamed)).scopes.names == ["author"])
      // Without an explicit key, it is the name of the table, singular or plural.
      let tome = Image.belongsTo(Publication.self)
      let tomes = Person.hasMany(Publication.self, using: ForeignKey(["authorId"]))
      let image = try #require(
        try Row.fetchOne(
          db, Image.including(optional: tome).including(optional: tome.forKey("book"))))
      #expect(image.scopes.names == ["tome", "book"])
      let person = try #require(
        try Row.fetchOne(db, Person.including(all: tomes).including(all: tomes.forKey("books"))))
      #expect(person.prefetchedRows.keys == ["tomes", "books"])
    }
  }

  @Test
  func `S197, S202, S210: a record of which all columns are NULL is nil`() throws {
    struct Info: FetchableRecord, Decodable { var coverImage: Image? }
    try queue.read { db throws in
      #expect(try Info.fetchAll(db, request).map(\.coverImage?.id) == [nil, 1, nil])
      let row = try #require(try Row.fetchOne(db, request))
      let image: Image? = row["coverImage"]
      #expect(image == nil)
      #expect(row.scopes["coverImage"]?.description == "[id:NULL, tomeId:NULL, path:NULL]")
      let absent: Image? = row["nothing"]
      #expect(absent == nil)
    }
  }

  @Test
  func `S36, S37, S38, S339: a table joined to itself, one way and the other`() throws {
    try queue.expect(
      Employee.select(Column("id")).including(optional: Employee.manager.select(Column("id")))
        .including(all: Employee.subordinates.select(Column("id"))).order(Column("id")),
      sql: """
        SELECT "employee"."id", "employee2"."id" FROM "employee"
          LEFT JOIN "employee" AS "employee2" ON "employee2"."id" = "employee"."managerId"
          ORDER BY "employee"."id";
        SELECT "employee"."id", "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "employee"
          WHERE "employee"."managerId" = "kindred:above"."kindred:0"
        """,
      rows: """
        [id:1] manager: [id:NULL] subordinates: ([id:2], [id:3])
        [id:2] manager: [id:1] subordinates: ()
        [id:3] manager: [id:1] subordinates: ()
        """)
    struct EmployeeInfo: FetchableRecord, Decodable {
      var employee: Employee
      var manager: Employee?
      var subordinates: Set<Employee>
    }
    let request = Employee.including(optional: Employee.manager).including(all: Employee.subordinates)
      .order(Column("id"))
    try queue.read { db throws in
      let infos = try EmployeeInfo.fetchAll(db, request)
      #expect(infos.map(\.manager?.id) == [nil, 1, 1])
      #expect(infos.map { Set($0.subordinates.map(\.id)) } == [[2, 3], [], []])
      let row = try #require(try Row.fetchOne(db, Employee.including(optional: Employee.plainManager)))
      #expect(row.scopes.names == ["employee"])
    }
  }

  @Test
  func `S199, S200, S201, S203, S347: init(row:) decodes columns, records and collections by hand`() throws {
    struct TomeInfo: FetchableRecord {
      var tome: Tome
      var title: String
      var author: Person
      var country: Country?
      var prizes: [Prize]
      var prizeSet: Set<Prize>

      init(row: Row) throws {
        tome = try Tome(row: row)
        title = row["title"]
        author = try row["author"]
        country = row["country"]
        prizes = row["prizes"]
        prizeSet = row["prizes"]
      }
    }
    struct Title: FetchableRecord {
      var title: String
      // The initializer need not throw.
      init(row: Row) { title = row["title"] }
    }
    let infos = try queue.read { db in try TomeInfo.fetchAll(db, request) }
    #expect(infos.map(\.author.name) == ["Melville", "Melville", "Anon"])
    #expect(infos.map(\.country?.code) == ["US", "US", nil])
    #expect(infos.map(\.prizes.count) == [3, 0, 0])
    #expect(infos.map(\.prizeSet.count) == [3, 0, 0])
    #expect(
      try queue.read { db in try Title.fetchAll(db, request).map(\.title) } == [
        "Moby-Dick", "Clarel", "Beowulf",
      ])
  }

  @Test
  func `S214, S272: shapes without a joining method are decoded by hand, from any request`() throws {
    struct Prizes: FetchableRecord {
      var path: [String]
      var numbers: [Int64: String]

      init(row: Row) throws {
        path = [row["title"], row.scopes["author"]?.scopes["country"]?["name"] ?? "nowhere"]
        let prizes: [Prize] = row["prizes"]
        let title: String = row["title"]
        numbers = Dictionary(uniqueKeysWithValues: prizes.map { ($0.id, title) })
      }
    }
    let prizes = try queue.read { db in try Prizes.fetchAll(db, request) }
    #expect(
      prizes.map(\.path) == [["Moby-Dick", "States"], ["Clarel", "States"], ["Beowulf", "nowhere"]])
    #expect(prizes[0].numbers == [1: "Moby-Dick", 2: "Moby-Dick", 3: "Moby-Dick"])
  }

  @Test
  func `S206, S207, S208, S209, S211, S212, S348: the debug description shows the tree`() throws {
    let row = try #require(try queue.read { db in try Row.fetchOne(db, request) })
    #expect(
      row.debugDescription == """
        ▿ [id:1, title:"Moby-Dick", authorId:2, translatorId:1]
          unadapted: [id:1, title:"Moby-Dick", authorId:2, translatorId:1, id:2, name:"Melville", countryCode:"US", code:"US", name:"States", id:NULL, tomeId:NULL, path:NULL]
          - author: [id:2, name:"Melville", countryCode:"US"]
            - country: [code:"US", name:"States"]
          - coverImage: [id:NULL, tomeId:NULL, path:NULL]
          + prizes: 3 rows
        """)
    #expect(row.description == #"[id:1, title:"Moby-Dick", authorId:2, translatorId:1]"#)
    let renamed = try queue.read { db throws in
      try Row.fetchOne(db, Tome.including(optional: Tome.author.forKey("writer")))
    }
    #expect(renamed?.debugDescription.contains("\n  - writer: [id:2") == true)
  }

  @Test
  func `S118: collections below joined records, and joined records below collections, to any depth`() throws {
    struct Info: Decodable, FetchableRecord {
      struct PersonInfo: Decodable {
        struct TomeInfo: Decodable {
          var tome: Tome
          var coverImage: Image?
          var prizes: [Prize]
        }
        var person: Person
        var written: [TomeInfo]
      }
      var author: PersonInfo
    }
    let written = Person.hasMany(Tome.self, key: "written", using: ForeignKey(["authorId"]))
      .including(optional: Tome.coverImage).including(all: Tome.prizes).order(Column("id"))
    let request = Tome.including(required: Tome.author.including(all: written)).order(Column("id"))
    let infos = try queue.read { db in try Info.fetchAll(db, request) }
    #expect(infos[0].author.written.map(\.tome.id) == [1, 2])
    #expect(infos[0].author.written.map(\.prizes.count) == [3, 0])
    #expect(infos[0].author.written.map(\.coverImage?.path) == [nil, "clarel.png"])
  }
}
