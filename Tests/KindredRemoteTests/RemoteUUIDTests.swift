import Foundation
import Kindred
import Testing

@testable import KindredRemote

private struct Device: Codable, FetchableRecord, PersistableRecord, Identifiable {
  var id: UUID
  static let parts = hasMany(Part.self)
}

private struct Part: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var deviceId: UUID
}

@Suite("UUIDs for a server")
struct RemoteUUIDTests {
  private static let text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
  private static let bytes = "x'A0EEBC999C0B4EF8BB6D6BB9BD380A11'"

  /// Returns a database on a server whose keys have this type, which `/-/schema` describes.
  private func remote(_ type: String, input: String) throws -> RemoteDatabase {
    func column(_ name: String, _ type: String, _ input: String) -> String {
      #"{"name":"\#(name)","type":"\#(type)","input":"\#(input)","nullable":false}"#
    }
    let schema = """
      {"resources":[
      {"name":"devices","table":"device","key":["id"],"columns":[\(column("id", type, input))],
       "associations":[{"key":"parts","kind":"hasMany","destination":"parts","columns":{"id":"deviceId"}}]},
      {"name":"parts","table":"part","key":["id"],
       "columns":[\(column("id", "INTEGER", "number")),\(column("deviceId", type, input))],
       "associations":[{"key":"device","kind":"belongsTo","destination":"devices","columns":{"deviceId":"id"}}]}]}
      """
    return RemoteDatabase(try URL(named: "http://devices.example")) { _ in
      RemoteResponse(
        status: 200, headers: [:],
        body: AsyncThrowingStream { continuation in
          continuation.yield(Array(schema.utf8))
          continuation.finish()
        })
    }
  }

  private func conditions(on remote: RemoteDatabase) async throws -> [String] {
    let uuid = try #require(UUID(uuidString: Self.text))
    let alias = TableAlias()
    let requests = [
      Part.filter(Column("deviceId") == uuid), Part.filter(uuid == Column("deviceId")),
      Part.filter([uuid].contains(Column("deviceId"))),
      Part.joining(required: Part.belongsTo(Device.self).aliased(alias)).filter(alias[Column("id")] == uuid),
    ]
    var queries: [String] = []
    for request in requests {
      queries.append(try await remote.url(of: request).query(percentEncoded: false) ?? "")
    }
    return queries
  }

  @Test
  func `are texts where PostgreSQL's type is compared with them`() async throws {
    let remote = try remote("uuid", input: "text")
    for query in try await conditions(on: remote) { #expect(query.contains("'\(Self.text)'"), "\(query)") }
    let device = Device(id: try #require(UUID(uuidString: Self.text)))
    #expect(try await remote.url(of: device.request(for: Device.parts)).absoluteString.contains(Self.text))
  }

  @Test
  func `stay the bytes that SQLite stores, whatever the column's type is called`() async throws {
    for (type, input) in [("BLOB", "bytes"), ("uuid", "number"), ("TEXT", "text")] {
      for query in try await conditions(on: remote(type, input: input)) {
        #expect(query.uppercased().contains(Self.bytes.uppercased()), "\(query)")
      }
    }
  }
}
