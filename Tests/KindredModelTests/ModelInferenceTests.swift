import OrderedCollections
import Testing

@testable import KindredModel

@Suite struct ModelInferenceTests {
  @Test
  func `the only foreign key is keyed by the singular of one end and the plural of the other`() {
    let model = Model(inferredFrom: Schema(tables: [.make("author"), .make("book", ["authorId -> author"])]))
    #expect(model.keys("books") == ["author: belongsTo authors by authorId"])
    #expect(model.keys("authors") == ["books: hasMany books by authorId"])
    #expect(model.warnings == [])
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
      .make("person"), .make("publication", ["authorId -> person", "translatorId -> person"]),
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
    ("boss-id", "id", "boss"), ("boss id", "id", "boss"), ("chef_é", "é", "chef"), ("éId", "id", "é"),
  ])
  func `a stem is the column without Id, ID, _id, else without the referenced column's name, else whole`(
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
      columns: ["id", "a", "b", "oldA", "oldPrinting"].map { Column(name: $0) }, primaryKey: [0],
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
        "old: belongsTo editions by oldA,oldPrinting", "edition: belongsTo editions by a,b",
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
  func `a key equal to a column becomes its destination's singular, or if that exists, key + destination`() {
    let schema = Schema(tables: [
      .make("person"), .make("employee"),
      .make("shift", ["manager -> employee", "deputy -> employee", "employee"]),
      .make("ride", ["person -> person"]), .make("visit", ["host -> person", "guest -> person"]),
      .make("tour", ["guide -> person", "personId -> person"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("shifts") == [
        "managerEmployee: belongsTo employees by manager", "deputyEmployee: belongsTo employees by deputy",
      ])
    #expect(model.keys("rides") == ["personPerson: belongsTo people by person"])
    #expect(
      model.keys("visits") == ["person: belongsTo people by host", "guestPerson: belongsTo people by guest"])
    // The key of personId is person by rule; a clash does not take it away.
    #expect(
      model.keys("tours") == [
        "person: belongsTo people by personId", "guidePerson: belongsTo people by guide",
      ])
    #expect(
      model.keys("employees") == [
        "shiftsByManager: hasMany shifts by manager", "shiftsByDeputy: hasMany shifts by deputy",
      ])
    #expect(
      model.keys("people") == [
        "rides: hasMany rides by person", "visitsByHost: hasMany visits by host",
        "visitsByGuest: hasMany visits by guest", "toursByGuide: hasMany tours by guide",
        "toursByPerson: hasMany tours by personId",
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
  func `a join table associates both ends`() {
    let schema = Schema(tables: [
      .make("Playlist"), .make("Track"),
      .make("PlaylistTrack", ["PlaylistId* -> Playlist", "TrackId* -> Track", "position"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("playlists") == [
        "playlistTracks: hasMany playlistTracks by PlaylistId",
        "tracks: hasManyThrough tracks by PlaylistId, TrackId",
      ])
    #expect(
      model.keys("tracks") == [
        "playlistTracks: hasMany playlistTracks by TrackId",
        "playlists: hasManyThrough playlists by TrackId, PlaylistId",
      ])
    let steps = model.resources["playlists"]?.associations["tracks"]?.steps ?? []
    #expect(steps.map(\.isToOne) == [false, true])
    #expect(steps.map(\.direction) == [.has, .belongsTo])
  }

  @Test
  func `where its key is taken, it is + Via + the join table, in table order`() {
    let schema = Schema(tables: [
      .make("coauthor", ["bookId* -> book", "authorId* -> author"]), .make("author"),
      .make("book", ["authorId -> author"]),
      .make("illustrator", ["bookId* -> book", "authorId* -> author"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("authors") == [
        "coauthors: hasMany coauthors by authorId", "books: hasMany books by authorId",
        "illustrators: hasMany illustrators by authorId",
        "booksViaCoauthor: hasManyThrough books by authorId, bookId",
        "booksViaIllustrator: hasManyThrough books by authorId, bookId",
      ])
    #expect(
      model.keys("books") == [
        "author: belongsTo authors by authorId", "coauthors: hasMany coauthors by bookId",
        "illustrators: hasMany illustrators by bookId",
        "authors: hasManyThrough authors by bookId, authorId",
        "authorsViaIllustrator: hasManyThrough authors by bookId, authorId",
      ])
  }

  @Test
  func `a join table from a table to itself uses the plurals of the stems`() {
    let schema = Schema(tables: [
      .make("person"), .make("friendship", ["personId* -> person", "friendId* -> person"]),
    ])
    #expect(
      Model(inferredFrom: schema).keys("people") == [
        "friendshipsByPerson: hasMany friendships by personId",
        "friendshipsByFriend: hasMany friendships by friendId",
        "friends: hasManyThrough people by personId, friendId",
        "people: hasManyThrough people by friendId, personId",
      ])
  }

  @Test
  func `a table with a key of its own, or one that extends another, is no join table`() {
    let schema = Schema(tables: [
      .make("a"), .make("b"), .make("pass", ["id*", "aId -> a", "bId -> b"]),
      .make("extension", ["id* -> a", "id* -> b"]), .make("triple", ["aId* -> a", "bId* -> b", "n*"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(model.resources.values.allSatisfy { $0.associations.values.allSatisfy { $0.steps.count == 1 } })
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
          #expect(!resource.table.columns.contains { $0.name == key })
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

extension Model {
  /// The associations of a resource, each as a line.
  fileprivate func keys(_ resource: String) -> [String] {
    resources[resource]?.associations.values.map { association in
      let columns = association.steps.map { step in
        (step.direction == .belongsTo ? step.originColumns : step.destinationColumns).joined(separator: ",")
      }
      return "\(association.key): \(association.kind) \(association.destination) by "
        + columns.joined(separator: ", ")
    } ?? []
  }
}

extension Table {
  /// A table of columns as `name`, `name*` (of the primary key), `name!` (unique), each with `-> table` or
  /// `-> table.column` where it refers; without `*`, there is an `id` that is the key.
  fileprivate static func make(_ name: String, _ columns: [String] = []) -> Table {
    var names: [String] = []
    var primaryKey: [String] = []
    var unique: [[String]] = []
    var foreignKeys: [ForeignKey] = []
    for column in columns.contains(where: { $0.contains("*") }) ? columns : ["id*"] + columns {
      let parts = column.split(separator: " ")
      let name = String(parts[0].prefix { $0 != "*" && $0 != "!" })
      if !names.contains(name) {
        names.append(name)
        if parts[0].hasSuffix("*") { primaryKey.append(name) }
        if parts[0].hasSuffix("!") { unique.append([name]) }
      }
      if parts.count == 3 {
        let target = parts[2].split(separator: ".")
        foreignKeys.append(
          ForeignKey(
            columns: [name], destination: String(target[0]),
            destinationColumns: [target.count > 1 ? String(target[1]) : "id"]))
      }
    }
    func positions(_ key: [String]) -> [Int] { key.compactMap { names.firstIndex(of: $0) } }
    return Table(
      name: name, kind: .table, columns: names.map { Column(name: $0) }, primaryKey: positions(primaryKey),
      uniqueKeys: ([primaryKey] + unique).map(positions), foreignKeys: foreignKeys)
  }
}
