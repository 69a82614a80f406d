import Kindred
import Testing

/// A database with all kinds of keys.
enum Club {
  struct Player: Codable, FetchableRecord, PersistableRecord, Hashable, Identifiable {
    var id: Int64
    var name: String
    var email: String?
    var score: Int
  }

  struct Citizenship: Codable, FetchableRecord, PersistableRecord, Hashable {
    var citizenId: Int64
    var countryId: Int64
    var note: String?
  }

  struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
    var code: String
    var name: String
  }

  struct Text: Codable, FetchableRecord, TableRecord, Hashable {
    var title: String
  }

  static let players = [
    Player(id: 1, name: "Arthur", email: "arthur@example.com", score: 100),
    Player(id: 2, name: "Barbara", email: nil, score: 1000),
    Player(id: 3, name: "Craig", email: "craig@example.com", score: 500),
  ]

  static func make() throws -> DatabaseQueue {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("email", .text).unique()
        t.column("score", .integer).notNull()
      }
      try db.create(table: "citizenship") { t in
        t.primaryKey {
          t.column("citizenId", .integer)
          t.column("countryId", .integer)
        }
        t.column("note", .text)
      }
      try db.create(table: "country") { t in
        t.primaryKey("code", .text)
        t.column("name", .text)
      }
      try db.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(title)")
      try db.execute(sql: "INSERT INTO text (title) VALUES ('the white whale'), ('a black sea')")
      for player in players { try player.insert(db) }
      for country in [Country(code: "US", name: "States"), Country(code: "FR", name: "France")] {
        try country.insert(db)
      }
      try Citizenship(citizenId: 12, countryId: 45, note: "yes").insert(db)
      try Citizenship(citizenId: 12, countryId: 46).insert(db)
    }
    return queue
  }
}

extension DatabaseQueue {
  /// Returns the names of the players that a request fetches.
  func names(_ request: QueryInterfaceRequest<Club.Player>) throws -> [String] {
    try read { db in try request.fetchAll(db).map(\.name) }
  }

  /// Returns the columns of the rows that a request fetches.
  func columns(_ request: some FetchRequest) throws -> [String] {
    try read { db in try #require(try Row.fetchOne(db, request)).columnNames }
  }
}
