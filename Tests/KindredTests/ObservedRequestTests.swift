import Kindred
import Testing

@Suite("Observed requests", .timeLimit(.minutes(10)))
struct ObservedRequestTests {
  struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    static let awards = hasMany(Award.self)

    var id: Int
    var name: String
    var score: Int

    var awards: QueryInterfaceRequest<Award> { request(for: Player.awards) }
  }

  struct Award: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int
    var playerId: Int
  }

  private let dbQueue = DatabaseQueue()

  init() throws {
    try dbQueue.write { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
        t.column("score", .integer)
      }
      try db.create(table: "award") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("player", onDelete: .cascade)
      }
    }
  }

  private static let arthur = Player(id: 1, name: "Arthur", score: 100)
  private static let barbara = Player(id: 2, name: "Barbara", score: 200)

  private func insert(_ player: Player) async throws {
    try await dbQueue.write { db in try player.insert(db) }
  }

  @Test
  func `S302, S353: the count of a table`() async throws {
    var counts = Player.observationForCount().values(in: dbQueue).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await insert(Self.arthur)
    #expect(try await counts.next() == 1)
  }

  @Test
  func `S303, S353: all records of a table`() async throws {
    var players = Player.observationForAll().values(in: dbQueue).makeAsyncIterator()
    #expect(try await players.next() == [])
    try await insert(Self.arthur)
    #expect(try await players.next() == [Self.arthur])
    try await insert(Self.barbara)
    #expect(try await players.next() == [Self.arthur, Self.barbara])
  }

  @Test
  func `S304, S353: the first record of a table`() async throws {
    var players = Player.observationForFirst().values(in: dbQueue).makeAsyncIterator()
    #expect(try await players.next() == .some(nil))
    try await insert(Self.arthur)
    #expect(try await players.next() == Self.arthur)
  }

  @Test
  @MainActor
  func `S302, S305, S307: observations start as the reference page shows`() throws {
    var events: [String] = []
    let counting = try Player.observationForCount().start(in: dbQueue) { (count: Int) in
      events.append("\(count) players")
    }
    let listing = try Player.observationForAll().start(in: dbQueue) { (players: [Player]) in
      events.append("\(players)")
    }
    let first = try Player.observationForFirst().start(in: dbQueue) { (player: Player?) in
      events.append(player?.name ?? "nobody")
    }
    #expect(events == ["0 players", "[]", "nobody"])
    for observer in [counting, listing, first] { observer.cancel() }
  }

  @Test
  func `S88: a request for associated records is observed`() async throws {
    try await insert(Self.arthur)
    let request = Self.arthur.awards
    var awards = request.observationForAll().values(in: dbQueue).makeAsyncIterator()
    #expect(try await awards.next() == [])
    try await dbQueue.write { db in
      try db.execute(sql: "UPDATE player SET name = 'A'")
      try Award(id: 7, playerId: 1).insert(db)
    }
    #expect(try await awards.next() == [Award(id: 7, playerId: 1)])
  }

  @Test
  func `S306: a request with a collection is observed in all of its tables`() async throws {
    struct PlayerInfo: Decodable, FetchableRecord, Equatable {
      var player: Player
      var awards: [Award]
    }
    try await insert(Self.arthur)
    let request = Player.including(all: Player.awards).asRequest(of: PlayerInfo.self)
    var infos = request.observationForFirst().values(in: dbQueue).makeAsyncIterator()
    #expect(try await infos.next() == PlayerInfo(player: Self.arthur, awards: []))
    try await dbQueue.write { db in try Award(id: 7, playerId: 1).insert(db) }
    #expect(
      try await infos.next() == PlayerInfo(player: Self.arthur, awards: [Award(id: 7, playerId: 1)]))
  }

  @Test
  func `S96, S306: a collection by a column without an index is as fresh as any other`() async throws {
    struct PlayerInfo: Decodable, FetchableRecord, Equatable {
      var player: Player
      var awards: [Award]
    }
    try await insert(Self.arthur)
    try await dbQueue.write { db in try db.drop(index: "award_on_playerId") }
    let request = Player.including(all: Player.awards).asRequest(of: PlayerInfo.self)
    #expect(try await dbQueue.read { db in try request.fetchAll(db) }.map(\.awards.count) == [0])
    try await dbQueue.write { db in try Award(id: 7, playerId: 1).insert(db) }
    #expect(try await dbQueue.read { db in try request.fetchAll(db) }.map(\.awards.count) == [1])
    var infos = request.observationForAll().values(in: dbQueue).makeAsyncIterator()
    #expect(try await infos.next()?.map(\.awards.count) == [1])
    try await dbQueue.write { db in try Award(id: 8, playerId: 1).insert(db) }
    #expect(try await infos.next()?.map(\.awards.count) == [2])
  }
}
