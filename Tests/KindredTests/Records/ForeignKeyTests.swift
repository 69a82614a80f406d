import Kindred
import Testing

private struct Person: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var name: String
  var countryCode: String?

  static let writtenBooks = hasMany(Novel.self, using: Novel.authorForeignKey)
  static let translatedBooks = hasMany(Novel.self, using: Novel.translatorForeignKey)
  static let country = belongsTo(Country.self)

  var writtenBooks: QueryInterfaceRequest<Novel> { request(for: Person.writtenBooks) }
}

private struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
  var code: String
  static let demographics = hasOne(Demographics.self)
  static let keyedDemographics = hasOne(Demographics.self, key: "demographics")
}

private struct Demographics: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var countryCode: String
  var population: Int
  static let country = belongsTo(Country.self)
}

private struct Novel: Codable, FetchableRecord, PersistableRecord, Hashable {
  enum Columns: String, ColumnExpression { case id, title, authorId, translatorId }

  var id: Int64
  var title: String
  var authorId: Int64
  var translatorId: Int64?

  static let authorForeignKey = ForeignKey(["authorId"])
  static let translatorForeignKey = ForeignKey([Columns.translatorId])
  static let author = belongsTo(Person.self, using: authorForeignKey)
  static let translator = belongsTo(Person.self, using: translatorForeignKey)
  static let ambiguous = belongsTo(Person.self)
  static let unknown = belongsTo(Country.self)
  static let country = hasOne(Country.self, through: author, using: Person.country)
}

/// Tables without foreign key constraints, and one without a primary key.
private struct Parent: Codable, FetchableRecord, PersistableRecord, Hashable {
  var number: Int
  static let children = hasMany(Child.self, using: ForeignKey(["parentNumber"], to: ["number"]))
  static let child = hasOne(Child.self, using: ForeignKey(["parentNumber"], to: ["number"]))
}

private struct Child: Codable, FetchableRecord, PersistableRecord, Hashable {
  var parentNumber: Int?
  static let parent = belongsTo(Parent.self, using: ForeignKey(["parentNumber"], to: ["number"]))
  static let halfParent = belongsTo(Parent.self, using: ForeignKey(["parentNumber"]))
}

@Suite("Foreign keys")
struct ForeignKeyTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "country") { t in t.primaryKey("code", .text) }
      try db.create(table: "demographics") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("country", onDelete: .cascade).notNull().unique()
        t.column("population", .integer)
      }
      try db.create(table: "person") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
        t.belongsTo("country")
      }
      try db.create(table: "novel") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text)
        t.belongsTo("author", inTable: "person")
        t.belongsTo("translator", inTable: "person")
      }
      try db.execute(sql: "CREATE TABLE parent (number INTEGER); CREATE TABLE child (parentNumber INTEGER)")
      for country in ["FR", "US"] { try Country(code: country).insert(db) }
      try Demographics(id: 1, countryCode: "FR", population: 68).insert(db)
      try Person(id: 1, name: "Melville", countryCode: "US").insert(db)
      try Person(id: 2, name: "Giono", countryCode: "FR").insert(db)
      try Person(id: 3, name: "Sappho", countryCode: nil).insert(db)
      try Novel(id: 1, title: "Moby-Dick", authorId: 1, translatorId: 2).insert(db)
      try Novel(id: 2, title: "Regain", authorId: 2, translatorId: nil).insert(db)
      try Parent(number: 5).insert(db)
      try Parent(number: 6).insert(db)
      try Child(parentNumber: 5).insert(db)
      try Child(parentNumber: nil).insert(db)
    }
  }

  private func error(_ request: some FetchRequest) -> String {
    let error = #expect(throws: AssociationError.self) {
      try queue.read { db in try Row.fetchAll(db, request) }
    }
    return error.map { "\($0)" } ?? ""
  }

  @Test
  func `S22, S35, S64: the one foreign key between two tables is found`() throws {
    try queue.expect(
      Person.select(Column("name")).including(required: Person.country.select(Column("code"))).order(
        Column("id")),
      sql: """
        SELECT "person"."name", "country"."code" FROM "person"
          JOIN "country" ON "country"."code" = "person"."countryCode" ORDER BY "person"."id"
        """,
      rows: """
        [name:"Melville"] country: [code:"US"]
        [name:"Giono"] country: [code:"FR"]
        """)
    try queue.expect(
      Country.select(Column("code")).including(required: Country.demographics.select(Column("population"))),
      sql: """
        SELECT "country"."code", "demographics"."population" FROM "country"
          JOIN "demographics" ON "demographics"."countryCode" = "country"."code"
        """,
      rows: #"[code:"FR"] demographics: [population:68]"#)
    try queue.read { db throws in
      #expect(try Person.joining(required: Person.country).fetchCount(db) == 2)
      #expect(try Demographics.joining(required: Demographics.country).fetchCount(db) == 1)
    }
  }

  @Test
  func `S68, S79: several foreign keys and no choice of one are an error, in the words of the documents`() {
    #expect(error(Novel.including(optional: Novel.ambiguous)) == "Ambiguous foreign key from novel to person")
  }

  @Test
  func `S69: no foreign key at all is an error, in the words of the documents`() {
    #expect(
      error(Novel.including(optional: Novel.unknown)) == "Could not infer foreign key from novel to country")
  }

  @Test
  func `S39, S70, S71, S72, S73, S74: explicit foreign keys, strings or columns, serve both sides`() throws {
    try queue.read { db throws in
      let author = TableAlias()
      let written = Novel.joining(required: Novel.author.aliased(author)).filter(
        author[Column("name")] == "Giono")
      #expect(try written.fetchAll(db).map(\.id) == [2])
      #expect(try Person.joining(required: Person.translatedBooks).fetchAll(db).map(\.name) == ["Giono"])
      let person = try #require(try Person.fetchOne(db, key: 1))
      #expect(try person.writtenBooks.fetchAll(db).map(\.id) == [1])
    }
  }

  @Test
  func `S114, S118, S337, S358: columns name two associations to one table`() throws {
    try queue.expect(
      Novel.select(Column("title")).including(required: Novel.author.select(Column("name")))
        .including(optional: Novel.translator.select(Column("name"))).order(Column("id")),
      sql: """
        SELECT "novel"."title", "person"."name", "person2"."name" FROM "novel"
          JOIN "person" ON "person"."id" = "novel"."authorId"
          LEFT JOIN "person" AS "person2" ON "person2"."id" = "novel"."translatorId"
          ORDER BY "novel"."id"
        """,
      rows: """
        [title:"Moby-Dick"] author: [name:"Melville"] translator: [name:"Giono"]
        [title:"Regain"] author: [name:"Giono"] translator: [name:NULL]
        """)
    struct NovelInfo: FetchableRecord, Decodable {
      var novel: Novel
      var author: Person
      var translator: Person?
    }
    let request = Novel.including(required: Novel.author).including(optional: Novel.translator).order(
      Column("id"))
    let infos = try queue.read { db in try NovelInfo.fetchAll(db, request) }
    #expect(infos.map(\.author.name) == ["Melville", "Giono"])
    #expect(infos.map(\.translator?.name) == ["Giono", nil])
  }

  @Test
  func `S75, S76, S77, S78, S268: a full foreign key joins tables without constraints`() throws {
    try queue.read { db throws in
      #expect(try Row.fetchAll(db, Child.joining(required: Child.parent)) == [["parentNumber": 5]])
      #expect(try Parent.joining(required: Parent.child).fetchCount(db) == 1)
      let rows = try Row.fetchAll(db, Parent.including(all: Parent.children).order(Column("number")))
      #expect(rows.map { $0.prefetchedRows["children"]?.count } == [1, 0])
      #expect(try Parent(number: 5).request(for: Parent.children).fetchCount(db) == 1)
    }
  }

  @Test
  func `S75: an incomplete foreign key to a table without a primary key is an error`() throws {
    #expect(
      error(Child.joining(optional: Child.halfParent)) == "Could not infer foreign key from child to parent")
  }

  @Test
  func `S24, S42, S335, S338, S356: demographics is its own singular, with and without a key`() throws {
    struct CountryInfo: FetchableRecord, Decodable {
      var country: Country
      var demographics: Demographics?
    }
    for association in [Country.demographics, Country.keyedDemographics] {
      let request = Country.including(optional: association).orderByPrimaryKey()
      let infos = try queue.read { db in try CountryInfo.fetchAll(db, request) }
      #expect(infos.map(\.demographics?.population) == [68, nil])
    }
  }

  @Test
  func `S29, S31, S91, S93, S116, S117: through is the chain of its parts`() throws {
    try queue.expect(
      Novel.select(Column("title")).including(optional: Novel.country).order(Column("id")),
      sql: """
        SELECT "novel"."title", "country"."code" FROM "novel"
          LEFT JOIN "person" ON "person"."id" = "novel"."authorId"
          LEFT JOIN "country" ON "country"."code" = "person"."countryCode" ORDER BY "novel"."id"
        """,
      rows: """
        [title:"Moby-Dick"] author: [] country: [code:"US"]
        [title:"Regain"] author: [] country: [code:"FR"]
        """)
    try queue.read { db throws in
      let chained = Novel.joining(optional: Novel.author.including(optional: Person.country)).order(
        Column("id"))
      let through = Novel.including(optional: Novel.country).order(Column("id"))
      #expect(try Transcript(of: chained, on: db).sql == Transcript(of: through, on: db).sql)
      struct NovelInfo: FetchableRecord, Decodable {
        var novel: Novel
        var country: Country?
      }
      #expect(try NovelInfo.fetchAll(db, through).map(\.country?.code) == ["US", "FR"])
      #expect(try NovelInfo.fetchAll(db, chained).map(\.country?.code) == ["US", "FR"])
      let inline = Novel.hasOne(
        Country.self, through: Novel.belongsTo(Person.self, using: Novel.authorForeignKey),
        using: Person.belongsTo(Country.self))
      #expect(try NovelInfo.fetchAll(db, Novel.including(required: inline)).count == 2)
    }
  }
}
