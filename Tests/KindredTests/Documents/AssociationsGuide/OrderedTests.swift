import Kindred
import Testing

private struct Team: FetchableRecord, TableRecord, Codable, EncodableRecord {
  var id: Int64
  var name: String
}

private struct Player: FetchableRecord, TableRecord, Codable {
  var id: Int64
  var teamId: Int64
  var name: String
  var position: Int
}

extension Team {
  static let players = hasMany(Player.self).order(Column("position"))

  var players: QueryInterfaceRequest<Player> {
    request(for: Team.players)
  }
}

@Suite("The guide of associations: ordered associations")
struct OrderedTests {
  @Test
  func `S129, S131: the players of a team by their position, unless told otherwise`() throws {
    struct TeamInfo: Decodable, FetchableRecord {
      var team: Team
      var players: [Player]
    }
    let dbQueue = try Databases.make(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE player (
        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT, position INTEGER);
      INSERT INTO team VALUES (1, 'Reds');
      INSERT INTO player VALUES (1, 1, 'Arthur', 3), (2, 1, 'Barbara', 1), (3, 1, 'Craig', 2);
      """)
    try dbQueue.read { db throws in
      let team: Team = try #require(try Team.fetchOne(db))
      // Default ordering by position
      let players = try team.players.fetchAll(db)
      #expect(players.map(\.name) == ["Barbara", "Craig", "Arthur"])
      let teamInfos =
        try Team
        .including(all: Team.players)
        .asRequest(of: TeamInfo.self)
        .fetchAll(db)
      #expect(teamInfos.map { $0.players.map(\.name) } == [["Barbara", "Craig", "Arthur"]])
      try expectSQL(
        team.players, db,
        """
        SELECT player.*
        FROM player
        WHERE player.teamId = ?1
        ORDER BY player.position
        """)

      // Custom ordering
      let sorted = try team.players.order(Column("name")).fetchAll(db)
      #expect(sorted.map(\.name) == ["Arthur", "Barbara", "Craig"])
      let sortedInfos =
        try Team
        .including(all: Team.players.order(Column("name")))
        .asRequest(of: TeamInfo.self)
        .fetchAll(db)
      #expect(sortedInfos.map { $0.players.map(\.name) } == [["Arthur", "Barbara", "Craig"]])
    }
  }

  @Test
  func `S130: the players of a team by their position in it, which the pivot knows`() throws {
    struct Team: FetchableRecord, TableRecord, Codable, EncodableRecord {
      var id: Int64
      var name: String

      static let playerRoles = hasMany(PlayerRole.self).order(Column("position"))
      static let players = hasMany(Player.self, through: playerRoles, using: PlayerRole.player)

      var players: QueryInterfaceRequest<Player> {
        request(for: Team.players)
      }
    }
    struct PlayerRole: FetchableRecord, TableRecord, Codable {
      var teamId: Int64
      var playerId: Int64
      var position: Int

      static let player = belongsTo(Player.self)
    }
    struct Player: FetchableRecord, TableRecord, Codable {
      var id: Int64
      var name: String
    }
    struct TeamInfo: Decodable, FetchableRecord {
      var team: Team
      var players: [Player]
    }
    let dbQueue = try Databases.make(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE playerRole (
        teamId INTEGER REFERENCES team, playerId INTEGER REFERENCES player, position INTEGER,
        PRIMARY KEY (teamId, playerId));
      INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
      INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara'), (3, 'Craig');
      INSERT INTO playerRole VALUES (1, 1, 3), (1, 2, 1), (1, 3, 2), (2, 1, 1), (2, 2, 2);
      """)
    try dbQueue.read { db throws in
      let team: Team = try #require(try Team.fetchOne(db))
      #expect(try team.players.fetchAll(db).map(\.name) == ["Barbara", "Craig", "Arthur"])
      try expectSQL(
        team.players, db,
        """
        SELECT player.*
        FROM playerRole
        JOIN player ON player.id = playerRole.playerId
        WHERE playerRole.teamId = ?1
        ORDER BY playerRole.position
        """)
      let teamInfos =
        try Team
        .including(all: Team.players)
        .asRequest(of: TeamInfo.self)
        .fetchAll(db)
      #expect(
        teamInfos.map { $0.players.map(\.name) } == [["Barbara", "Craig", "Arthur"], ["Arthur", "Barbara"]])
      let sortedInfos =
        try Team
        .including(all: Team.players.order(Column("name")))
        .asRequest(of: TeamInfo.self)
        .fetchAll(db)
      #expect(
        sortedInfos.map { $0.players.map(\.name) } == [
          ["Arthur", "Barbara", "Craig"], ["Arthur", "Barbara"],
        ])
    }
  }
}
