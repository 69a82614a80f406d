import Foundation
import Testing

@testable import Kindred

@Suite("Requests in requests, tables without types, and what the database decides")
struct SubqueryTests {
  private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var teamId: Int64?
    var name: String
    var score: Int

    enum Columns {
      static let id = Column(CodingKeys.id)
      static let name = Column(CodingKeys.name)
      static let score = Column(CodingKeys.score)
    }
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "team") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text)
      }
      try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.belongsTo("team")
        t.column("name", .text)
        t.column("score", .integer)
      }
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues')")
      for (index, name) in ["Arthur", "Barbara", "Craig"].enumerated() {
        try Player(id: Int64(index + 1), teamId: 1, name: name, score: index * 10).insert(db)
      }
    }
  }

  private func names(_ request: some FetchRequest<Player>) throws -> [String] {
    try queue.read { db in try request.fetchAll(db).map(\.name) }
  }

  @Test
  func `a request is the value of its first row, an operand and a list`() throws {
    let best = Player.select { max($0.score) }
    #expect(try names(Player.filter { $0.score == best }) == ["Craig"])
    #expect(try names(Player.filter(Column("score") < best).order(\.name)) == ["Arthur", "Barbara"])
    let sql: SQLRequest<Int> = "SELECT score FROM player WHERE name = \("Barbara")"
    #expect(try names(Player.filter { $0.score >= sql }) == ["Barbara", "Craig"])
    #expect(try names(Player.filter { sql.contains($0.score) }) == ["Barbara"])
    #expect(
      try names(Player.filter { Player.select(\.id).filter { $0.score > 5 }.contains($0.id) }).count == 2)
    #expect(try names(Player.filter((SQLRequest<Row>(sql: "SELECT 1 WHERE 0")).exists())) == [])
    try queue.read { db throws in
      let mean = Player.select { average($0.score) }
      #expect(try Double.fetchOne(db, Table("team").select(mean.forKey("mean"))) == 10)
      #expect(try Int.fetchOne(db, Player.select(best.sqlExpression - Column("score")).limit(1)) == 20)
    }
  }

  @Test
  func `a request in a literal has the parentheses of the literal`() throws {
    let good = Player.filter { $0.score > 5 }.select(\.id)
    #expect(try names(Player.filter(literal: "id IN (\(good))")) == ["Barbara", "Craig"])
    try queue.write { db throws in
      let request: SQLRequest<Int> = "SELECT COUNT(*) FROM (\(good))"
      #expect(try request.fetchOne(db) == 2)
      let inner: SQLRequest<Int> = "SELECT 7"
      let outer: SQLRequest<Int> = "SELECT * FROM (\(inner))"
      #expect(try outer.fetchOne(db) == 7)
      let cte = CommonTableExpression<Row>(named: "good", columns: ["n"], request: good)
      let good: SQLRequest<Int> = "WITH \(definitionFor: cte) SELECT COUNT(*) FROM \(cte) WHERE n > \(2)"
      #expect(try good.fetchOne(db) == 1)
      let names: SQLRequest<String> = """
        SELECT \(Player.Columns.name.forKey("label")) FROM \(Table("player")) ORDER BY \(Player.Columns.score.desc)
        """
      #expect(try names.fetchAll(db) == ["Craig", "Barbara", "Arthur"])
      let players: SQLRequest<Player> = "SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p"
      #expect(try players.fetchAll(db).count == 3)
      let statement = try db.makeStatement(literal: "SELECT name FROM player WHERE id = \(2)")
      #expect(try String.fetchOne(statement) == "Barbara")
      let unbound = try db.cachedStatement(literal: "SELECT name FROM player WHERE id = ?")
      #expect(try String.fetchOne(unbound, arguments: [3]) == "Craig")
    }
  }

  @Test
  func `a request of the program is a part of others by its statement`() throws {
    struct Best: FetchRequest {
      typealias RowDecoder = Int
      func prepare(_ db: Database) throws -> (Statement, (any RowAdapter)?) {
        let statement = try db.makeStatement(sql: "SELECT MAX(score) FROM player WHERE score > ?")
        statement.arguments = [0]
        return (statement, nil)
      }
    }
    #expect(try names(Player.filter { $0.score == Best() }) == ["Craig"])
    #expect(try names(Player.filter { Best().contains($0.score) }) == ["Craig"])
  }

  @Test
  func `tables without types have associations, closures and keys`() throws {
    let (players, teams) = (Table("player"), Table("team"))
    try queue.write { db throws in
      let rows = try teams.annotated(with: [teams.hasMany(players).count]).order(Column("id")).fetchAll(db)
      #expect(rows.map { $0["playerCount"] as Int } == [3, 0])
      #expect(try players.joining(required: players.belongsTo(teams)).fetchCount(db) == 3)
      #expect(try teams.including(all: teams.hasMany(Player.self)).fetchCount(db) == 2)
      #expect(try teams.joining(required: teams.hasOne(players)).fetchCount(db) == 3)

      let typed = Table<Player>("player")
      #expect(
        try typed.filter { $0.score > 5 }.order { $0.name.desc }.fetchAll(db).map(\.name) == [
          "Craig", "Barbara",
        ])
      #expect(try typed.select { [$0.name] }.fetchCount(db) == 3)
      #expect(try typed.exists(db, id: 1) && !typed.exists(db, id: 9))
      #expect(try typed.updateAll(db) { $0.score += 1 } == 3)
      #expect(try typed.updateAll(db, [Column("score").set(to: 0)]) == 3)
      #expect(try typed.filter(ids: [1, 2]).fetchCount(db) == 2)
      #expect(try typed.deleteOne(db, id: 1))
      #expect(try typed.deleteAll(db, ids: [2]) == 1)
      #expect(try players.deleteAll(db, keys: [3]) == 1)
      #expect(try Array(typed.fetchCursor(db)).isEmpty)
      #expect(try teams.exists(db, key: ["id": 1]))
      #expect(try teams.deleteOne(db, key: ["id": 1]))
    }
  }

  @Test
  func `a closure can decide by the database when the request runs`() throws {
    let request = Player.all()
      .filterWhenConnected { db in
        Column("score") > (try Int.fetchOne(db, sql: "SELECT MIN(score) FROM player") ?? 0)
      }
      .selectWhenConnected { db in try db.columns(in: "player").map { Column($0.name) } }
      .annotatedWhenConnected(with: { _ in [Column("score").forKey("points")] })
    try queue.read { db throws in
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0["points"] as Int } == [10, 20])
      #expect(rows[0].columnNames == ["id", "teamId", "name", "score", "points"])
      let groups = Player.select(Column("teamId")).group(Column("teamId")).havingWhenConnected { _ in
        count(Column("id")) > 2
      }
      #expect(try Row.fetchAll(db, groups).count == 1)
    }
  }

  @Test
  func `bits are combined and assigned`() throws {
    try queue.write { db throws in
      #expect(
        try Int.fetchOne(
          db, Player.select([6, 3].map { $0.databaseValue }.joined(operator: .bitwiseAnd)).limit(1)) == 2)
      #expect(
        try Int.fetchOne(
          db, Player.select([6, 3].map { $0.databaseValue }.joined(operator: .bitwiseOr)).limit(1)) == 7)
      func scores(_ assignment: ColumnAssignment) throws -> Int? {
        try Player.updateAll(db, Column("score").set(to: 6))
        try Player.updateAll(db, assignment)
        return try Int.fetchOne(db, Player.select(\.score).limit(1))
      }
      #expect(try scores(Column("score") &= 3) == 2)
      #expect(try scores(Column("score") |= 1) == 7)
      #expect(try scores(Column("score") <<= 1) == 12)
      #expect(try scores(Column("score") >>= 1) == 3)
    }
  }

  @Test
  func `aggregates of a group can be of some of its rows`() throws {
    try queue.read { db throws in
      let selection: [any SQLSelectable] = [
        count(Column("id"), filter: Column("score") > 5), sum(Column("score"), filter: Column("score") < 15),
        max(Column("score"), filter: Column("id") < 3), min(Column("score"), filter: Column("id") > 1),
        average(Column("score"), filter: Column("id") > 1),
        total(Column("score"), filter: false.databaseValue),
      ]
      let row = try #require(try Row.fetchOne(db, Player.select(selection)))
      let expected: [any DatabaseValueConvertible] = [2, 10, 10, 10, 15.0, 0.0]
      #expect(row.databaseValues == expected.map(\.databaseValue))
      let json = try String.fetchOne(
        db, Player.select(Database.jsonGroupArray(Column("name"), filter: Column("score") > 5)))
      #expect(json == #"["Barbara","Craig"]"#)
      #expect(
        try String.fetchOne(
          db,
          Player.select(
            Database.jsonGroupObject(key: Column("name"), value: Column("score"), filter: Column("id") == 3)))
          == #"{"Craig":20}"#)
      let text = #"{"a":[1]}"#.databaseValue
      let elements: [any SQLExpressible] = [text.asJSON, text]
      #expect(
        try String.fetchOne(db, Player.select(Database.jsonArray(elements)).limit(1))
          == #"[{"a":[1]},"{\"a\":[1]}"]"#)
    }
  }

  @Test
  func `a restricted selection of an associated record is that of an annotation, too`() throws {
    struct Team: TableRecord {
      static let databaseSelection: [any SQLSelectable] = [.allColumns(excluding: ["id"])]
      static let databaseTableName = "team"
    }
    let team = Player.belongsTo(Team.self)
    try queue.read { db throws in
      let row = try #require(try Row.fetchOne(db, Player.select(\.id).annotated(withRequired: team)))
      #expect(row.columnNames == ["id", "name"])
    }
  }

  @Test
  func `a name by itself is that of a selected expression`() throws {
    try queue.read { db throws in
      let request = Player.select(Column("name"), (-Column("score")).forKey("debt")).order(
        Column("debt").detached)
      #expect(try Row.fetchAll(db, request).map { $0["name"] as String } == ["Craig", "Barbara", "Arthur"])
    }
  }

  @Test
  func `the records of a collection are decoded by its key`() throws {
    struct Team: Codable, FetchableRecord, PersistableRecord {
      static let players = hasMany(Player.self)
      var id: Int64
    }
    try queue.read { db throws in
      let row = try #require(try Row.fetchOne(db, Team.including(all: Team.players).order(Column("id"))))
      let players: [Player] = try row.decode(forKey: "players")
      #expect(players.map(\.name) == ["Arthur", "Barbara", "Craig"])
      #expect(throws: RowDecodingError.self) { let _: [Player] = try row.decode(forKey: "nothing") }
    }
  }
}
