import Kindred
import Testing

@Suite("Views, common tables, temporary and attached tables")
struct TableKindTests {
  private struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int64?
    static let score = hasMany(Score.self, using: ForeignKey(["teamId"], to: ["id"]))
    static let oneScore = hasOne(Score.self, key: "score", using: ForeignKey(["teamId"], to: ["id"]))
    static let part = hasOne(Part.self, using: ForeignKey(["teamId"], to: ["id"]))
  }

  private struct Score: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "scoreView"
    var teamId: Int64
  }

  private struct Part: Codable, FetchableRecord, PersistableRecord {
    var a: Int64?
    var teamId: Int64
    static let region = belongsTo(Region.self, using: ForeignKey(["a"], to: ["number"]))
  }

  private struct Region: Codable, FetchableRecord, PersistableRecord {
    var number: Int64?
  }

  private func make() throws -> DatabaseQueue {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE team (id INTEGER PRIMARY KEY);
          CREATE TABLE part (a INTEGER, teamId INTEGER, PRIMARY KEY (a, teamId));
          CREATE TABLE region (number INTEGER UNIQUE);
          CREATE VIEW scoreView AS SELECT 1 AS teamId, NULL AS points;
          CREATE VIEW broken AS SELECT * FROM gone;
          INSERT INTO team VALUES (1), (2);
          INSERT INTO part VALUES (NULL, 1), (7, 2);
          INSERT INTO region VALUES (7), (NULL);
          """)
    }
    return queue
  }

  private func ids(_ request: QueryInterfaceRequest<Team>) throws -> [Int64?] {
    try make().read { db in try request.order(Column("id")).fetchAll(db).map(\.id) }
  }

  @Test
  func `an alias of a view, of a NULL key, and of a common table says whether the record exists`() throws {
    let alias = TableAlias()
    #expect(try ids(Team.joining(optional: Team.oneScore.aliased(alias)).filter(alias.exists)) == [1])
    #expect(try ids(Team.joining(optional: Team.oneScore.aliased(alias)).filter(!alias.exists)) == [2])
    #expect(try ids(Team.joining(optional: Team.part.aliased(alias)).filter(alias.exists)) == [1, 2])
    // SQLite can't resolve the rowid of a table in a parenthesized join.
    let region = Team.part.joining(required: Part.region.aliased(alias))
    #expect(try ids(Team.joining(optional: region).filter(alias.exists)) == [2])
    let cte = CommonTableExpression(named: "c", sql: "SELECT 2 AS id")
    let association = Team.association(to: cte) { $0[Column("id")] == $1[Column("id")] }
    #expect(
      try ids(Team.with(cte).joining(optional: association.aliased(alias)).filter(alias.exists)) == [2])
  }

  @Test
  func `conditions under one key of a common table must be the same`() throws {
    let cte = CommonTableExpression(named: "c", sql: "SELECT 1 AS id")
    func association(_ isGreater: Bool) -> JoinAssociation<Team, Row> {
      Team.association(to: cte) {
        isGreater ? $0[Column("id")] > $1[Column("id")] : $0[Column("id")] < $1[Column("id")]
      }
    }
    let request = Team.with(cte).joining(required: association(true))
    #expect(try ids(request) == [2])
    // Joining an equal association again changes nothing.
    #expect(try ids(request.joining(required: association(true))) == [2])
    #expect(throws: AssociationError.ambiguousKey("c")) {
      try ids(request.joining(required: association(false)))
    }
    #expect(try ids(request.joining(required: association(false).forKey("d"))) == [])
  }

  @Test
  func `two common tables of one name must be the same, and hide a table of the database`() throws {
    let one = CommonTableExpression(named: "c", sql: "SELECT 1 AS id")
    let two = CommonTableExpression(named: "C", sql: "SELECT 2 AS id")
    try make().read { db throws in
      #expect(try Row.fetchAll(db, one.all().with(one)) == [["id": 1]])
      #expect(throws: RequestError.self) { try Row.fetchAll(db, one.all().with(two)) }
      let hiding = CommonTableExpression(named: "team", sql: "SELECT 'z' AS label")
      #expect(try Row.fetchAll(db, hiding.all()) == [["label": "z"]])
      let empty = CommonTableExpression(named: "c", columns: [], sql: "SELECT 1 AS id")
      #expect(try Row.fetchAll(db, empty.all()) == [["id": 1]])
    }
  }

  @Test
  func `records of temporary tables, of attached databases and of SQLite's own tables are fetched`() throws {
    struct Draft: Codable, FetchableRecord, PersistableRecord, Equatable { var id: Int64 }
    struct Other: Codable, FetchableRecord, PersistableRecord, Equatable { var id: Int64 }
    struct Sequence: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "sqlite_sequence"
      var name: String
    }
    try make().inDatabase { db throws in
      try db.create(table: "draft", options: .temporary) { t in t.primaryKey("id", .integer) }
      try db.execute(sql: "ATTACH ':memory:' AS extra; CREATE TABLE extra.other (id INTEGER PRIMARY KEY)")
      try Draft(id: 1).insert(db)
      try Other(id: 2).insert(db)
      try Draft(id: 1).update(db)
      #expect(try Draft.fetchAll(db) == [Draft(id: 1)])
      #expect(try Other.fetchOne(db, key: 2) == Other(id: 2))
      try db.create(table: "counted") { t in t.autoIncrementedPrimaryKey("id") }
      try db.execute(sql: "INSERT INTO counted DEFAULT VALUES")
      #expect(try Sequence.fetchAll(db).map(\.name) == ["counted"])
      // A temporary table hides a table of the main database.
      try db.execute(sql: "CREATE TEMP TABLE team (label TEXT); INSERT INTO team VALUES ('t')")
      #expect(try Row.fetchAll(db, Team.all()) == [["label": "t"]])
      try db.execute(sql: "DROP TABLE temp.team; DETACH extra")
      #expect(try Team.fetchAll(db).map(\.id) == [1, 2])
      #expect(throws: DatabaseError.self) { try Other.fetchAll(db) }
    }
  }

  @Test
  func `a view that can't be read is an error in SQLite's words`() throws {
    struct Broken: TableRecord {}
    try make().read { db throws in
      let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(db, Broken.all()) }
      #expect(error?.message == "no such table: main.gone")
    }
  }

  @Test
  func `a record that isn't there can't be updated`() throws {
    try make().write { db throws in
      let error = #expect(throws: RecordError.self) { try Team(id: 9).update(db) }
      #expect(error == .recordNotFound(databaseTableName: "team", key: ["id": 9.databaseValue]))
    }
  }

  @Test
  func `belongsTo finds tables in the plural, and keys of several columns, also of itself`() throws {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.create(table: "teams") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "part") { t in
        t.primaryKey {
          t.belongsTo("team")
          t.column("number", .integer)
        }
        t.belongsTo("parent", inTable: "part")
      }
      try db.execute(
        sql: "INSERT INTO teams VALUES (1); INSERT INTO part VALUES (1, 1, NULL, NULL), (1, 2, 1, 1)")
      #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
      #expect(
        try Row.fetchOne(db, sql: "SELECT * FROM part")?.columnNames == [
          "teamId", "number", "parentTeamId", "parentNumber",
        ])
      try db.execute(sql: "CREATE TABLE keyless (x)")
      #expect(throws: DatabaseError.self) { try db.create(table: "a") { t in t.belongsTo("keyless") } }
      #expect(throws: DatabaseError.self) {
        try db.create(table: "b") { t in t.primaryKey { t.belongsTo("b") } }
      }
    }
  }

  @Test
  func `a foreign key by a UUID keeps the name of the table`() throws {
    struct Session: TableRecord {
      static let user = belongsTo(User.self, using: ForeignKey(["ownerUUID"], to: ["uuid"]))
    }
    struct User: TableRecord {}
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE user (uuid TEXT PRIMARY KEY); CREATE TABLE session (ownerUUID TEXT);
          INSERT INTO user VALUES ('u'); INSERT INTO session VALUES ('u')
          """)
      let row = try Row.fetchOne(db, Session.including(required: Session.user))
      #expect(row?.scopes.names == ["user"])
    }
  }
}
