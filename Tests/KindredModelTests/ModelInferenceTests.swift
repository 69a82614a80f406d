import OrderedCollections
import Testing

@testable import KindredModel

@Suite struct ModelInferenceTests {
  @Test
  func `the only foreign key is keyed by its stem on one end, by the table's plural on the other`() {
    let schema = Schema(tables: [.make("person"), .make("book", ["authorId -> person"])])
    let model = Model(inferredFrom: schema)
    #expect(model.keys("books") == ["author: belongsTo people by authorId"])
    #expect(model.keys("people") == ["books: hasMany books by authorId"])
    #expect(model.warnings == [])
  }

  @Test(arguments: [
    ("authorId", "author"), ("OwnerID", "owner"), ("content_type_id", "contentType"),
    ("HTTPRouteId", "httpRoute"), ("ID", "person"), ("_id", "person"), ("paid", "person"), ("uid", "person"),
    ("person_code", "person"), ("author", "person"),
  ])
  func `without an ending in Id, ID, _id, the only foreign key is keyed by the singular of its destination`(
    column: String, key: String
  ) {
    let schema = Schema(tables: [.make("person"), .make("book", ["\(column) -> person"])])
    #expect(
      Model(inferredFrom: schema).keys("books") == ["\(key): belongsTo people by \(column)"])
  }

  @Test
  func `of a composite foreign key that is the only one, the destination's singular is the key`() {
    let slot = Table.make("slot", ["hall*", "number*"])
    let berth = Table(
      name: "berth", kind: .table, columns: ["id", "hall", "slotId"].map { Column(name: $0) },
      primaryKey: [0], uniqueKeys: [[0]],
      foreignKeys: [
        ForeignKey(columns: ["hall", "slotId"], destination: "slot", destinationColumns: ["hall", "number"])
      ])
    let model = Model(inferredFrom: Schema(tables: [slot, berth]))
    #expect(model.keys("berths") == ["slot: belongsTo slots by hall,slotId"])
  }

  @Test
  func `a second foreign key to the same table changes no key of the first one's table`() {
    let one = Schema(tables: [.make("user"), .make("post", ["author_id -> user"])])
    let two = Schema(tables: [.make("user"), .make("post", ["author_id -> user", "editor_id -> user"])])
    #expect(Model(inferredFrom: one).keys("posts") == ["author: belongsTo users by author_id"])
    #expect(
      Model(inferredFrom: two).keys("posts") == [
        "author: belongsTo users by author_id", "editor: belongsTo users by editor_id",
      ])
  }

  @Test
  func `a unique foreign key gives a hasOne, keyed by the singular`() {
    let schema = Schema(tables: [
      .make("country", ["code*"]), .make("demographics", ["countryCode! -> country.code"]),
      .make("Profiles", ["country_code! -> country.code"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("countries") == [
        "demographics: hasOne demographics by countryCode", "profile: hasOne profiles by country_code",
      ])
    #expect(model.keys("profiles") == ["country: belongsTo countries by country_code"])
  }

  @Test
  func `several foreign keys are keyed by their stems`() {
    let schema = Schema(tables: [
      .make("person"), .make("publication", ["authorId -> person", "translatorId -> person", "title"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("publications") == [
        "author: belongsTo people by authorId", "translator: belongsTo people by translatorId",
      ])
    #expect(
      model.keys("people") == [
        "publicationsByAuthor: hasMany publications by authorId",
        "publicationsByTranslator: hasMany publications by translatorId",
      ])
  }

  @Test(arguments: [
    ("authorId", "id", "author"), ("homeTeamID", "id", "homeTeam"), ("away_team_id", "id", "awayTeam"),
    ("original_language_id", "language_id", "originalLanguage"), ("countryCode", "code", "country"),
    ("to_country_code", "code", "toCountry"), ("FromCountryCode", "code", "fromCountry"),
    ("ReportsTo", "EmployeeId", "reportsTo"), ("SupportRepId", "EmployeeId", "supportRep"),
    ("MANAGER_ID", "ID", "manager"), ("managerid", "id", "manager"), ("id", "id", "id"), ("Id", "Id", "id"),
    ("_id", "_id", "id"), ("code", "code", "code"), ("parent", "id", "parent"), ("__id", "id", "id"),
    ("create_uid", "id", "createUid"), ("writeUid", "id", "writeUid"), ("winnerid", "id", "winner"),
    ("meid", "id", "meid"), ("boss-id", "id", "boss"), ("boss id", "id", "boss"), ("chef_é", "é", "chef"),
    ("éId", "id", "é"),
  ])
  func `a stem is the column without Id, ID, _id, else without the name of the referenced column, else whole`(
    column: String, referenced: String, stem: String
  ) {
    #expect(ModelInference.Reference.stem(of: column, referringTo: referenced) == stem)
  }

  @Test
  func `a self reference is keyed by its stem, both ways`() {
    let schema = Schema(tables: [
      .make("employee", ["managerId -> employee"]), .make("spouse", ["partnerId! -> spouse"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("employees") == [
        "manager: belongsTo employees by managerId", "employeesByManager: hasMany employees by managerId",
      ])
    #expect(
      model.keys("spouses") == [
        "partner: belongsTo spouses by partnerId", "spouseByPartner: hasOne spouses by partnerId",
      ])
  }

  @Test
  func `of a composite foreign key, the last column gives the stem`() {
    let edition = Table.make("edition", ["isbn*", "printing*"])
    let loan = Table(
      name: "loan", kind: .table,
      columns: ["id", "a", "b", "oldA", "oldPrinting", "due"].map { Column(name: $0) }, primaryKey: [0],
      uniqueKeys: [[0]],
      foreignKeys: [
        ForeignKey(columns: ["a", "b"], destination: "edition", destinationColumns: ["isbn", "printing"]),
        ForeignKey(
          columns: ["oldA", "oldPrinting"], destination: "edition", destinationColumns: ["isbn", "printing"]),
      ])
    let model = Model(inferredFrom: Schema(tables: [edition, loan]))
    // The stem b is a column, so the destination's singular steps in; the other side keeps the stem.
    #expect(
      model.keys("loans") == [
        "edition: belongsTo editions by a,b", "old: belongsTo editions by oldA,oldPrinting",
      ])
    #expect(
      model.keys("editions") == [
        "loansByB: hasMany loans by a,b", "loansByOld: hasMany loans by oldA,oldPrinting",
      ])
  }

  @Test
  func `a foreign key that is declared twice counts once`() {
    let schema = Schema(tables: [
      .make("author"), .make("book", ["authorId -> author", "authorId -> author"]),
    ])
    #expect(Model(inferredFrom: schema).keys("books") == ["author: belongsTo authors by authorId"])
  }

  @Test
  func `the same columns to the same columns in another order are one foreign key, crossed ones are two`() {
    func keys(_ second: ForeignKey) -> [String] {
      let first = ForeignKey(columns: ["a", "b"], destination: "room", destinationColumns: ["org", "code"])
      let move = Table(
        name: "move", kind: .table, columns: ["id", "a", "b"].map { Column(name: $0) }, primaryKey: [0],
        uniqueKeys: [[0]], foreignKeys: [first, second])
      return Model(inferredFrom: Schema(tables: [.make("room", ["org*", "code*"]), move])).keys("moves")
    }
    #expect(
      keys(ForeignKey(columns: ["b", "a"], destination: "room", destinationColumns: ["code", "org"]))
        == ["room: belongsTo rooms by a,b"])
    #expect(
      keys(ForeignKey(columns: ["b", "a"], destination: "room", destinationColumns: ["org", "code"]))
        == ["room: belongsTo rooms by a,b", "aRoom: belongsTo rooms by b,a"])
  }

  @Test
  func `a key that is the name of its only column keeps it`() {
    let schema = Schema(tables: [
      .make("users"), .make("repo", ["owner -> users"]),
      .make("issue", ["repo -> repo", "opener -> users", "assignee -> users", "user"]),
      .make("folder", ["parent -> folder"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("issues") == [
        "repo: belongsTo repos by repo", "opener: belongsTo users by opener",
        "assignee: belongsTo users by assignee",
      ])
    #expect(model.keys("repos").first == "user: belongsTo users by owner")
    #expect(
      model.keys("folders") == [
        "parent: belongsTo folders by parent", "foldersByParent: hasMany folders by parent",
      ])
    let associations = model.resources["issues"]?.associations
    #expect(associations?["repo"]?.replacedColumn == "repo")
    #expect(model.resources["repos"]?.associations["user"]?.replacedColumn == nil)
  }

  @Test
  func `a key equal to another column becomes its destination's singular, or else key + destination`() {
    let schema = Schema(tables: [
      .make("person"), .make("employee"),
      .make("shift", ["managerId -> employee", "deputyId -> employee", "manager", "deputy", "employee"]),
      .make("visit", ["hostId -> person", "guestId -> person", "host", "guest"]),
      .make("tour", ["guide_id -> person", "personId -> person", "guide"]),
      .make("trade", ["buyer_id -> person", "buyer", "person"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("shifts") == [
        "managerEmployee: belongsTo employees by managerId",
        "deputyEmployee: belongsTo employees by deputyId",
      ])
    #expect(
      model.keys("visits") == [
        "person: belongsTo people by hostId", "guestPerson: belongsTo people by guestId",
      ])
    // The key of personId is person by rule; a clash does not take it away.
    #expect(
      model.keys("tours") == [
        "guidePerson: belongsTo people by guide_id", "person: belongsTo people by personId",
      ])
    #expect(model.keys("trades") == ["buyerPerson: belongsTo people by buyer_id"])
    #expect(
      model.keys("employees") == [
        "shiftsByManager: hasMany shifts by managerId", "shiftsByDeputy: hasMany shifts by deputyId",
      ])
    #expect(
      model.keys("people") == [
        "visitsByHost: hasMany visits by hostId", "visitsByGuest: hasMany visits by guestId",
        "toursByGuide: hasMany tours by guide_id", "toursByPerson: hasMany tours by personId",
        "trades: hasMany trades by buyer_id",
      ])
  }

  @Test
  func `of two associations with one key, a stem goes before a destination's singular`() {
    let schema = Schema(tables: [
      .make("author"), .make("person"),
      .make("book", ["author_code -> author", "author_id -> person"]),
      .make("text", ["owner_id -> person", "ownerId -> author"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("books") == [
        "authorAuthor: belongsTo authors by author_code", "author: belongsTo people by author_id",
      ])
    #expect(
      model.keys("texts") == [
        "owner: belongsTo people by owner_id", "ownerAuthor: belongsTo authors by ownerId",
      ])
  }

  @Test
  func `case tells keys from columns`() {
    let schema = Schema(tables: [.make("Employee", ["ReportsTo -> Employee"])])
    #expect(
      Model(inferredFrom: schema).keys("employees") == [
        "reportsTo: belongsTo employees by ReportsTo", "employeesByReportsTo: hasMany employees by ReportsTo",
      ])
  }

  @Test
  func `a to-many key that is taken becomes key + destination, and then a number`() {
    let schema = Schema(tables: [
      .make("author", ["books"]), .make("book", ["authorId -> author"]),
      .make("Books_", ["authorId -> author"]),
      .make("BOOK-", ["authorId -> author"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("authors") == [
        "booksBook: hasMany books by authorId", "booksBook2: hasMany Books_ by authorId",
        "booksBook3: hasMany BOOK- by authorId",
      ])
  }

  @Test
  func `a hasOne key that is taken by a belongsTo becomes key + destination`() {
    let schema = Schema(tables: [
      .make("user", ["profileId -> profile"]), .make("profile", ["userId! -> user"]),
    ])
    #expect(
      Model(inferredFrom: schema).keys("users") == [
        "profile: belongsTo profiles by profileId", "profileProfile: hasOne profiles by userId",
      ])
  }

  @Test
  func `two tables of one resource name are both served, and a warning says how`() {
    let schema = Schema(tables: [
      .make("book"), .make("books"), .make("Order Details"), .make("order_detail"), .make("-"), .make(".."),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      Array(model.resources.keys) == ["books", "books2", "orderDetails", "order_detail", "-2", "..2"])
    #expect(model.resources.map(\.value.table.name) == schema.tables.map(\.key))
    #expect(
      model.warnings.first
        == "the table books is served as books2, because books is taken; the model file can rename it")
    #expect(model.warnings.count == 4)
  }

  @Test
  func `of random schemas, every foreign key has its two keys, and none is a column's name`() {
    var random = SplitMix(seed: 42)
    let names = ["author", "Author_", "book", "books", "person", "people", "sheep", "bookTag", "tag", "id"]
    for _ in 0..<400 {
      let tables = names.prefix(Int.random(in: 1...names.count, using: &random)).map { name in
        let columns = (0..<Int.random(in: 0...4, using: &random)).map { _ -> String in
          let column = ["authorId", "book", "people", "sheep", "tag_id", "author", "bookID", "books"]
          let mark = ["*", "!", "", "", ""].randomElement(using: &random) ?? ""
          let target = names.randomElement(using: &random) ?? ""
          return (column.randomElement(using: &random) ?? "") + mark
            + (Bool.random(using: &random) ? " -> \(target)" : "")
        }
        return Table.make(name, columns)
      }
      let schema = Schema(tables: tables)
      let model = Model(inferredFrom: schema)
      #expect(model.resources.count == tables.count)
      var references = 0
      for resource in model.resources.values {
        for (key, association) in resource.associations {
          #expect(key == association.key && !key.isEmpty)
          #expect(
            association.replacedColumn == key || !resource.table.columns.contains { $0.name == key })
          #expect(model.resources[association.destination]?.table.name == association.steps.last?.destination)
          #expect(association.steps.first?.origin == resource.table.name)
          references += association.steps.count == 1 ? 1 : 0
        }
      }
      let expected = tables.map { Set($0.foreignKeys.filter { schema.tables[$0.destination] != nil }).count }
      #expect(references == 2 * expected.reduce(0, +))
    }
  }
}
