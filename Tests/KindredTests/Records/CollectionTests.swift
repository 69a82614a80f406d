import Kindred
import Testing

private struct Parent: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  static let children = hasMany(Child.self)
  static let pets = hasMany(Pet.self)
  static let grandchildren = hasMany(Toy.self, through: children, using: Child.toys)
}

private struct Child: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var parentId: Int64?
  static let toys = hasMany(Toy.self)
}

private struct Toy: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var childId: Int64
}

private struct Pet: TableRecord {}

/// A table with keys of any type, to which things refer without an index.
private struct Box: TableRecord {
  static let things = hasMany(Thing.self, using: ForeignKey(["box"], to: ["key"]))
}

private struct Thing: TableRecord {}

private struct Shelf: TableRecord {
  static let boxes = hasMany(Box.self, using: ForeignKey(["shelfId"], to: ["id"]))
}

@Suite("Collections of many records")
struct CollectionTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent);
          CREATE INDEX child_on_parentId ON child (parentId);
          CREATE TABLE toy (id INTEGER PRIMARY KEY, childId INTEGER REFERENCES child);
          CREATE INDEX toy_on_childId ON toy (childId);
          CREATE TABLE pet (parentId INTEGER REFERENCES parent);
          INSERT INTO parent VALUES (1), (2), (3);
          INSERT INTO child VALUES (1, 1), (2, 1), (3, 2), (4, NULL);
          INSERT INTO toy VALUES (1, 1), (2, 3), (3, 3), (4, 2);
          """)
    }
  }

  @Test
  func `S96: one more statement per association, and not one per record, to any depth`() throws {
    try queue.expect(
      Parent.including(
        all: Parent.children.order(Column("id")).including(all: Child.toys.order(Column("id")))
      )
      .order(Column("id")),
      sql: """
        SELECT "parent"."id" FROM "parent" ORDER BY "parent"."id";
        SELECT "child"."id", "child"."parentId",
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "child"
          WHERE "child"."parentId" = "kindred:above"."kindred:0" ORDER BY "child"."id";
        SELECT "toy"."id", "toy"."childId",
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "toy"
          WHERE "toy"."childId" = "kindred:above"."kindred:0" ORDER BY "toy"."id"
        """,
      rows: """
        [id:1] children: ([id:1, parentId:1] toys: ([id:1, childId:1]), [id:2, parentId:1] toys: ([id:4, childId:2]))
        [id:2] children: ([id:3, parentId:2] toys: ([id:2, childId:3], [id:3, childId:3]))
        [id:3] children: ()
        """)
  }

  @Test
  func `S96, S128: one record's collection is found by its key, in no order unless told`() throws {
    try queue.expect(
      Parent.filter(key: 2).including(all: Parent.children),
      sql: """
        SELECT "parent"."id" FROM "parent" WHERE "parent"."id" = 2;
        SELECT "child"."id", "child"."parentId" FROM "child" WHERE "child"."parentId" = 2
        """,
      rows: "[id:2] children: ([id:3, parentId:2])")
  }

  @Test
  func `S96: a path through others is one statement too`() throws {
    try queue.expect(
      Parent.order(Column("id")).including(all: Parent.grandchildren.order(Column("id").desc)),
      sql: """
        SELECT "parent"."id" FROM "parent" ORDER BY "parent"."id";
        SELECT "toy"."id", "toy"."childId",
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "child"
          JOIN "toy" ON "toy"."childId" = "child"."id"
          WHERE "child"."parentId" = "kindred:above"."kindred:0" ORDER BY "toy"."id" DESC
        """,
      rows: """
        [id:1] toys: ([id:4, childId:2], [id:1, childId:1])
        [id:2] toys: ([id:3, childId:3], [id:2, childId:3])
        [id:3] toys: ()
        """)
  }

  @Test
  func `S96, S354: a limit, or an expression that may be an aggregate, is that of each record`() throws {
    try queue.expect(
      Parent.order(Column("id")).including(all: Parent.children.order(Column("id").desc).limit(1)),
      sql: """
        SELECT "parent"."id" FROM "parent" ORDER BY "parent"."id";
        SELECT "child"."id", "child"."parentId" FROM "child" WHERE "child"."parentId" = 1
          ORDER BY "child"."id" DESC LIMIT 1;
        SELECT "child"."id", "child"."parentId" FROM "child" WHERE "child"."parentId" = 2
          ORDER BY "child"."id" DESC LIMIT 1;
        SELECT "child"."id", "child"."parentId" FROM "child" WHERE "child"."parentId" = 3
          ORDER BY "child"."id" DESC LIMIT 1
        """,
      rows: """
        [id:1] children: ([id:2, parentId:1])
        [id:2] children: ([id:3, parentId:2])
        [id:3] children: ()
        """)
    try queue.expect(
      Parent.order(Column("id")).including(all: Parent.children.select(count(Column("id")).forKey("n"))),
      sql: """
        SELECT "parent"."id" FROM "parent" ORDER BY "parent"."id";
        SELECT COUNT("child"."id") FROM "child" WHERE "child"."parentId" = 1;
        SELECT COUNT("child"."id") FROM "child" WHERE "child"."parentId" = 2;
        SELECT COUNT("child"."id") FROM "child" WHERE "child"."parentId" = 3
        """,
      rows: """
        [id:1] children: ([n:2])
        [id:2] children: ([n:1])
        [id:3] children: ([n:0])
        """)
  }

  @Test
  func `S96: SQL of the program may speak of the rowid`() throws {
    let rows = try queue.read { db in
      try Row.fetchAll(
        db, Parent.order(Column("id")).including(all: Parent.children.filter(sql: "rowid > 1")))
    }
    #expect(rows.map { $0.prefetchedRows["children"]?.count } == [1, 1, 0])
  }

  @Test
  func `S96: collections of thousands of records are one statement; a cursor reads some at a time`() throws {
    struct Info: Decodable, FetchableRecord {
      var parent: Parent
      var children: [Child]
    }
    try queue.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (VALUES (10) UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
          INSERT INTO parent SELECT i FROM n;
          INSERT INTO child SELECT id, id FROM parent WHERE id >= 10;
          """)
    }
    let request = Parent.filter(Column("id") >= 10).including(all: Parent.children)
    let transcript = try queue.read { db in try Transcript(of: request, on: db) }
    #expect(transcript.sql.split(separator: "; ").count == 2)
    try queue.read { db in
      let all = try Info.fetchAll(db, request)
      #expect(all.count == 9990)
      #expect(all.allSatisfy { $0.children.map(\.id) == [$0.parent.id] })
      let cursor = try Info.fetchCursor(db, request)
      #expect(try Array(cursor.map(\.children.count)) == Array(repeating: 1, count: 9990))
    }
  }

  @Test
  func `S66, S96: keys are compared as SQLite compares them, and NULL is equal to none`() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE box (key);
          CREATE TABLE thing (name TEXT, box);
          INSERT INTO box VALUES (1), ('a "b" \\ ' || char(10)), (NULL), ('1'), (1.5), (x'00ff');
          INSERT INTO thing VALUES ('one', 1), ('one', 1.0), ('half', 1.5), ('text', 'a "b" \\ ' || char(10)),
            ('blob', x'00ff'), ('no', NULL);
          """)
    }
    // Collections with integer or text keys are read by one statement, those with real or blob keys one after
    // another.
    let expected = [["one", "one"], ["text"], [], [], ["half"], ["blob"]]
    for count in [4, 6] {
      let rows = try queue.read { db in
        try Row.fetchAll(db, Box.including(all: Box.things).order(Column.rowID).limit(count))
      }
      let names = rows.map { ($0.prefetchedRows["things"] ?? []).map { $0["name"] as String } }
      #expect(names == Array(expected.prefix(count)))
    }
  }

  @Test
  func `S296: without an index on the foreign key, requests are counted and become tables`() throws {
    try queue.write { db in
      try db.execute(sql: "INSERT INTO pet VALUES (2), (2)")
      #expect(try Parent.having(Parent.pets.count >= 2).fetchCount(db) == 1)
      try db.execute(sql: "INSERT INTO pet VALUES (1), (1)")
      #expect(try Parent.having(Parent.pets.count >= 2).fetchCount(db) == 2)
      let owners = CommonTableExpression(
        named: "owners", request: Parent.annotated(with: Parent.pets.count).having(!Parent.pets.isEmpty))
      #expect(
        try Row.fetchAll(db, owners.all().order(Column("id"))) == [
          ["id": 1, "petCount": 2], ["id": 2, "petCount": 2],
        ])
    }
  }

  @Test
  func `S96: without an index on the foreign key, the table is not read once per record`() throws {
    let plan = try queue.read { db in
      let sql = try Transcript(of: Parent.including(all: Parent.pets), on: db).sql.split(separator: "; ")
      return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(try #require(sql.last))")
    }
    let details = plan.map { $0["detail"] as String }
    #expect(details.count == 3)
    #expect(details.dropFirst().allSatisfy { $0.hasPrefix("SEARCH") })
  }

  @Test(arguments: [1, 2])
  func `a collection by a key that is not UTF-8 is an error, and not empty`(count: Int) throws {
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE shelf (id INTEGER PRIMARY KEY); CREATE TABLE box (key, shelfId); CREATE TABLE thing (box);
          INSERT INTO shelf VALUES (1), (2);
          INSERT INTO box VALUES (char(65533), 1), ('b', 2);
          INSERT INTO thing SELECT key FROM box;
          """)
      let shelves = Shelf.limit(count).including(all: Shelf.boxes.including(all: Box.things))
      let boxes = Box.limit(count).including(all: Box.things)
      // U+FFFD itself is a key like others.
      #expect(try Row.fetchOne(db, boxes)?.prefetchedRows["things"]?.count == 1)
      #expect(try Row.fetchAll(db, shelves).count == count)
      try db.execute(sql: "UPDATE box SET key = CAST(x'61FF' AS TEXT) WHERE shelfId = 1")
      for request in [boxes.asRequest(of: Row.self), shelves.asRequest(of: Row.self)] {
        let error = #expect(throws: RowDecodingError.self) { try request.fetchAll(db) }
        #expect(error?.reason == .mismatch(found: "a text that is not valid UTF-8"))
      }
      #expect(try Row.fetchAll(db, Box.all()).count == 2)
    }
  }

  @Test
  func `an adapted request keeps its collections, and reads one row where one is needed`() throws {
    try queue.read { db in
      let request = Parent.including(all: Parent.children.order(Column("id"))).order(Column("id"))
        .asRequest(of: Row.self)
      let adapted = request.adapted { _ in RenameColumnAdapter { $0.uppercased() } }
      let rows = try adapted.fetchAll(db)
      #expect(rows.map { $0["ID"] as Int64 } == [1, 2, 3])
      #expect(rows.map { $0.prefetchedRows["children"]?.count } == [2, 1, 0])
      #expect(try adapted.fetchOne(db)?.prefetchedRows["children"]?.count == 2)
      #expect(try adapted.prepareRequest(db, isForSingleRow: true).statement.sql.contains("LIMIT"))
    }
  }
}
