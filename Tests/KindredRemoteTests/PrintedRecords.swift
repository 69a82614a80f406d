// Made by `kindred client swift`; make it anew when the database or the model file has changed.

import Foundation
import Kindred

struct House: Codable, FetchableRecord, PersistableRecord, Sendable {
  static let databaseTableName = "house"

  var id: Int
  var name: String
  var addressLine: String?
  var hasGarden: Bool
  var plan: Data?

  static let rooms = hasMany(Room.self, key: "rooms", using: ForeignKey(["houseId"], to: ["id"]))

  enum CodingKeys: String, CodingKey {
    case id = "id"
    case name = "name"
    case addressLine = "address line"
    case hasGarden = "hasGarden"
    case plan = "plan"
  }
}

struct Room: FetchableRecord, PersistableRecord, Sendable {
  static let databaseTableName = "room"

  var id: Int
  var houseId: Int
  var width: Double
  var length: Double
  var area: Double?
  var note: DatabaseValue

  static let house = belongsTo(House.self, key: "house", using: ForeignKey(["houseId"], to: ["id"]))
  static let stays = hasMany(Stay.self, key: "stays", using: ForeignKey(["roomId"], to: ["id"]))
  static let guests = hasMany(Guest.self, through: stays, using: Stay.guest, key: "guests")
}

extension Room {
  init(row: Row) throws {
    self.id = row["id"]
    self.houseId = row["houseId"]
    self.width = row["width"]
    self.length = row["length"]
    self.area = row["area"]
    self.note = row["note"]
  }

  func encode(to container: inout PersistenceContainer) throws {
    container["id"] = self.id
    container["houseId"] = self.houseId
    container["width"] = self.width
    container["length"] = self.length
    container["note"] = self.note
  }
}

struct Guest: Codable, FetchableRecord, PersistableRecord, Sendable {
  static let databaseTableName = "guest"

  var id: String
  var name: String?

  static let stays = hasMany(Stay.self, key: "stays", using: ForeignKey(["guestId"], to: ["id"]))
  static let rooms = hasMany(Room.self, through: stays, using: Stay.room, key: "rooms")
}

struct Stay: Codable, FetchableRecord, PersistableRecord, Sendable {
  static let databaseTableName = "stay"

  var roomId: Int?
  var guestId: String?

  static let room = belongsTo(Room.self, key: "room", using: ForeignKey(["roomId"], to: ["id"]))
  static let guest = belongsTo(Guest.self, key: "guest", using: ForeignKey(["guestId"], to: ["id"]))
}
