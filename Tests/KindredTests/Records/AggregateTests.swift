import Kindred
import Testing

@Suite("Aggregates of associations")
struct AggregateTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  /// Returns the value of an aggregate for each author, and its name.
  private func values(_ aggregate: AssociationAggregate<Author>) throws -> (
    name: String, values: [DatabaseValue]
  ) {
    try read { db throws in
      let rows = try Row.fetchAll(db, Author.annotated(with: aggregate).order(Column("id")))
      return (rows[0].columnNames.last ?? "", rows.compactMap(\.databaseValues.last))
    }
  }

  private func ids(_ predicate: AssociationAggregate<Author>) throws -> [Int64] {
    try read { db in try Author.having(predicate).order(Column("id")).fetchAll(db).map(\.id) }
  }

  private func reals(_ values: [Double?]) -> [DatabaseValue] { values.map(\.databaseValue) }

  private func integers(_ values: [Int?]) -> [DatabaseValue] { values.map(\.databaseValue) }

  @Test
  func `S216, S224, S226: count counts the records, none for those that have none: bookCount`() throws {
    try Library.make().expect(
      Author.select(Column("name")).annotated(with: Author.books.count).order(Column("id")),
      sql: """
        SELECT "author"."name", (SELECT COUNT(*) FROM "book"
          WHERE "book"."authorId" = "author"."id") FROM "author" ORDER BY "author"."id"
        """,
      rows: """
        [name:"Melville", bookCount:3]
        [name:"Hugo", bookCount:1]
        [name:"Sappho", bookCount:0]
        """
    )
    let (name, values) = try values(Author.books.count)
    #expect(name == "bookCount")
    #expect(values == integers([3, 1, 0]))
  }

  @Test
  func `S217, S225: isEmpty: hasNoBook`() throws {
    let (name, values) = try values(Author.books.isEmpty)
    #expect(name == "hasNoBook")
    #expect(values == integers([0, 0, 1]))
  }

  @Test
  func `S218, S219, S227, S228: min and max: minBookYear, maxBookYear`() throws {
    let least = try values(Author.books.min(Column("year")))
    #expect(least.name == "minBookYear")
    #expect(least.values == integers([1851, 1830, nil]))
    let greatest = try values(Author.books.max(Column("year")))
    #expect(greatest.name == "maxBookYear")
    #expect(greatest.values == integers([1924, 1830, nil]))
  }

  @Test
  func `S220, S229: average: averageBookPrice`() throws {
    let (name, values) = try values(Author.books.average(Column("price")))
    #expect(name == "averageBookPrice")
    #expect(values == reals([10, nil, nil]))
  }

  @Test
  func `S221, S222, S230, S231: sum is NULL of none, total is 0.0; both are called bookYearSum`() throws {
    let sum = try values(Author.books.sum(Column("year")))
    #expect(sum.name == "bookYearSum")
    #expect(sum.values == integers([5651, 1830, nil]))
    let total = try values(Author.books.total(Column("year")))
    #expect(total.name == "bookYearSum")
    #expect(total.values == reals([5651, 1830, 0]))
  }

  @Test
  func `S215: aggregates exist on hasMany through`() throws {
    try Library.make().expect(
      Author.select(Column("name")).annotated(with: Author.awards.count).order(Column("id")),
      sql: """
        SELECT "author"."name", (SELECT COUNT(*) FROM "book"
          JOIN "award" ON "award"."bookId" = "book"."id"
          WHERE "book"."authorId" = "author"."id") FROM "author" ORDER BY "author"."id"
        """,
      rows: """
        [name:"Melville", awardCount:2]
        [name:"Hugo", awardCount:1]
        [name:"Sappho", awardCount:0]
        """)
    let (name, values) = try values(Author.awards.count)
    #expect(name == "awardCount")
    #expect(values == integers([2, 1, 0]))
  }

  @Test
  func `S223, S257, S270: aggregates of several associations feed properties beside the record`() throws {
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var bookCount: Int
      var maxBookYear: Int?
      var paintingCount: Int
    }
    try read { db throws in
      let request = Author.annotated(
        with: Author.books.count, Author.books.max(Column("year")), Author.paintings.count)
      let infos = try Info.fetchAll(db, request.order(Column("id")))
      #expect(infos.map(\.bookCount) == [3, 1, 0])
      #expect(infos.map(\.maxBookYear) == [1924, 1830, nil])
      // The aggregates do not multiply each other.
      #expect(infos.map(\.paintingCount) == [0, 2, 0])
      #expect(try Author.annotated(with: [Author.books.count]).fetchAll(db).count == 3)
    }
  }

  @Test
  func `S232, S254: forKey("novels") gives novelCount; each population is counted by itself`() throws {
    struct Info: Decodable, FetchableRecord {
      var novelCount: Int
      var theatrePlayCount: Int
    }
    let novels = Author.books.filter(Column("kind") == "novel").forKey("novels").count
    let plays = Author.books.filter(Column("kind") == "theatrePlay").forKey("theatrePlays").count
    let infos = try read { db in
      try Info.fetchAll(db, Author.annotated(with: novels, plays).order(Column("id")))
    }
    #expect(infos.map(\.novelCount) == [2, 0, 0])
    #expect(infos.map(\.theatrePlayCount) == [0, 1, 0])
  }

  @Test
  func `S252, S253, S255: aggregates of one key share no population, nor multiply one another`() throws {
    struct Info: Decodable, FetchableRecord {
      var novelCount: Int
      var theatrePlayCount: Int
      var minBookYear: Int?
      var maxBookYear: Int?
    }
    let novels = Author.books.filter(Column("kind") == "novel").count.forKey("novelCount")
    let plays = Author.books.filter(Column("kind") == "theatrePlay").count.forKey("theatrePlayCount")
    let request = Author.annotated(
      with: novels, plays, Author.books.min(Column("year")), Author.books.max(Column("year")))
    let infos = try read { db in try Info.fetchAll(db, request.order(Column("id"))) }
    #expect(infos.map(\.novelCount) == [2, 0, 0])
    #expect(infos.map(\.theatrePlayCount) == [0, 1, 0])
    #expect(infos.map(\.minBookYear) == [1851, 1830, nil])
    #expect(infos.map(\.maxBookYear) == [1924, 1830, nil])
  }

  @Test
  func `S233, S234: a changed aggregate loses its name, unless by ??`() throws {
    #expect(try values(Author.books.count + 1).name != "bookCount")
    #expect(try values(!Author.books.isEmpty).name != "hasNoBook")
    let (name, values) = try values(Author.books.min(Column("year")) ?? 0)
    #expect(name == "minBookYear")
    #expect(values == integers([1851, 1830, 0]))
  }

  @Test
  func `S235, S236, S344: aggregates are named by a string or a coding key`() throws {
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var numberOfBooks: Int

      enum CodingKeys: CodingKey { case author, numberOfBooks }

      static func all() -> QueryInterfaceRequest<Info> {
        let numberOfBooks = Author.books.count.forKey(CodingKeys.numberOfBooks)
        return Author.annotated(with: numberOfBooks).asRequest(of: Info.self)
      }
    }
    #expect(try values(Author.books.count.forKey("numberOfBooks")).name == "numberOfBooks")
    #expect(
      try read { db in try Info.all().order(Column("id")).fetchAll(db).map(\.numberOfBooks) } == [3, 1, 0])
  }

  @Test
  func `S237, S238: a negated aggregate decodes a Bool; those of two associations make one value`() throws {
    struct Info: Decodable, FetchableRecord {
      var hasBooks: Bool
      var workCount: Int
    }
    let hasBooks = (Author.books.isEmpty == false).forKey("hasBooks")
    let workCount = (Author.books.count + Author.paintings.count).forKey("workCount")
    let infos = try read { db throws in
      try Info.fetchAll(db, Author.annotated(with: hasBooks, workCount).order(Column("id")))
    }
    #expect(infos.map(\.hasBooks) == [true, true, false])
    #expect(infos.map(\.workCount) == [3, 3, 0])
  }

  @Test
  func `S3, S239, S240, S241, S242, S243: having filters by aggregates, and accumulates`() throws {
    try Library.make().expect(
      Author.select(Column("name")).having(Author.books.count >= 1).having(Author.paintings.isEmpty),
      sql: """
        SELECT "author"."name" FROM "author" WHERE (SELECT COUNT(*) FROM "book"
          WHERE "book"."authorId" = "author"."id") >= 1 AND NOT EXISTS (SELECT 1
          FROM "painting" WHERE "painting"."authorId" = "author"."id")
        """,
      rows: #"[name:"Melville"]"#)
    #expect(try ids(Author.books.isEmpty) == [3])
    #expect(try ids(Author.books.isEmpty == false) == [1, 2])
    #expect(try ids(Author.books.count >= 2) == [1])
    #expect(try ids(Author.books.max(Column("year")) >= 1900) == [1])
    let both = Author.having(Author.books.count >= 1).having(Author.paintings.count >= 1)
    #expect(try read { db in try both.fetchAll(db).map(\.id) } == [2])
  }

  @Test
  func `S244: having on a filtered association`() throws {
    let novels = Author.books.filter(Column("kind") == "novel")
    #expect(try ids(novels.isEmpty == false) == [1])
    #expect(try ids(novels.isEmpty) == [2, 3])
  }

  @Test
  func `S245, S246, S247: aggregates of two associations compare and combine with && || !`() throws {
    try Library.make().expect(
      Author.select(Column("name")).having(Author.books.count > Author.paintings.count),
      sql: """
        SELECT "author"."name" FROM "author" WHERE (SELECT COUNT(*) FROM "book"
          WHERE "book"."authorId" = "author"."id") > (SELECT COUNT(*) FROM "painting"
          WHERE "painting"."authorId" = "author"."id")
        """,
      rows: #"[name:"Melville"]"#)
    #expect(try ids(Author.books.count > Author.paintings.count) == [1])
    #expect(try ids(Author.books.isEmpty && Author.paintings.isEmpty) == [3])
    #expect(try ids(!Author.books.isEmpty && !Author.paintings.isEmpty) == [2])
    #expect(try ids(Author.books.isEmpty || Author.paintings.isEmpty) == [1, 3])
  }

  @Test
  func `S248, S351: comparisons of an aggregate and a value, either way`() throws {
    #expect(try ids(Author.books.count < 3) == [2, 3])
    #expect(try ids(Author.books.count <= 1) == [2, 3])
    #expect(try ids(Author.books.count == 1) == [2])
    #expect(try ids(Author.books.count != 1) == [1, 3])
    #expect(try ids(2 <= Author.books.count) == [1])
    #expect(try ids(2 > Author.books.count) == [2, 3])
    #expect(try ids(1 == Author.books.count) == [2])
    #expect(try ids(Author.books.max(Column("year")) == nil) == [3])
    #expect(try ids(Author.books.count == Author.paintings.count) == [3])
  }

  @Test
  func `S249: arithmetic with aggregates and values, either way, and the opposite`() throws {
    #expect(try values(Author.books.count + 1).values == integers([4, 2, 1]))
    #expect(try values(10 - Author.books.count).values == integers([7, 9, 10]))
    #expect(try values(Author.books.count * 2).values == integers([6, 2, 0]))
    #expect(
      try values(Author.books.sum(Column("year")) / Author.books.count).values == integers([1883, 1830, nil]))
    #expect(try values(-Author.books.count).values == integers([-3, -1, 0]))
  }

  @Test
  func `S250, S251: ??, abs, cast and length`() throws {
    #expect(try values(Author.books.max(Column("year")) ?? -1).values == integers([1924, 1830, -1]))
    #expect(try values(abs(Author.books.min(-Column("year")))).values == integers([1924, 1830, nil]))
    #expect(try values(cast(Author.books.max(Column("year")), as: .text)).values[1] == "1830".databaseValue)
    #expect(try values(length(Author.books.max(Column("title")))).values == integers([9, 7, nil]))
  }

  @Test
  func `S84, S85, S256: of one record, aggregates are those of its request`() throws {
    try read { db throws in
      #expect(try Library.melville.books.fetchCount(db) == 3)
      #expect(try Int.fetchOne(db, Library.melville.books.select(max(Column("year")))) == 1924)
      #expect(try Int.fetchOne(db, Library.sappho.books.select(max(Column("year")))) == nil)
    }
  }

  @Test
  func `S350: counts are right without a rowid and of composite keys`() throws {
    struct Shelf: TableRecord { static let slots = hasMany(Slot.self) }
    struct Slot: TableRecord {}
    struct Visitor: TableRecord {
      static let visits = hasMany(Visit.self)
      static let slots = hasMany(Slot.self, through: visits, using: Visit.slot)
    }
    struct Visit: TableRecord { static let slot = belongsTo(Slot.self) }
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE shelf (id INTEGER PRIMARY KEY);
          CREATE TABLE slot (shelfId INTEGER REFERENCES shelf, number INTEGER, PRIMARY KEY (shelfId, number)) WITHOUT ROWID;
          CREATE TABLE visitor (id INTEGER PRIMARY KEY);
          CREATE TABLE visit (visitorId INTEGER REFERENCES visitor, shelfId INTEGER, number INTEGER,
            FOREIGN KEY (shelfId, number) REFERENCES slot);
          INSERT INTO shelf VALUES (1), (2);
          INSERT INTO slot VALUES (1, 1), (1, 2);
          INSERT INTO visitor VALUES (1);
          INSERT INTO visit VALUES (1, 1, 1), (1, 1, 1), (1, 1, 2);
          """)
      let rows = try Row.fetchAll(db, Shelf.annotated(with: Shelf.slots.count).order(Column("id")))
      #expect(rows.map { $0["slotCount"] as Int } == [2, 0])
      // A record that is reached twice is counted once.
      let visitor = try Row.fetchOne(db, Visitor.annotated(with: Visitor.slots.count, Visitor.visits.count))
      #expect(visitor == ["id": 1, "slotCount": 2, "visitCount": 3])
    }
  }
}
