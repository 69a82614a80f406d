import Foundation
import KindredPostgreSQL
import Testing

extension Cluster {
  /// Returns the target of a new database, whose user may have two connections at once.
  static func narrowDatabase() throws -> ConnectionTarget {
    let cluster = try shared.get()
    var parts = try #require(URLComponents(string: cluster.url))
    let target = try database()
    let role = "kindred_narrow_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    let admin = try PostgreSQLConnection(target)
    let password = parts.password.map { " PASSWORD '\($0)'" } ?? ""
    _ = try admin.run([
      Query("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2\(password)", isReusable: false)
    ])
    let database = try #require(try admin.rows("SELECT current_database()")[0][0])
    parts.path = "/\(database)"
    parts.queryItems = (parts.queryItems ?? []).filter { $0.name != "user" }
    if parts.host?.isEmpty ?? true {
      parts.queryItems?.append(URLQueryItem(name: "user", value: role))
    } else {
      parts.user = role
    }
    let url = try #require(parts.string)
    return try #require(ConnectionTarget(url))
  }
}
