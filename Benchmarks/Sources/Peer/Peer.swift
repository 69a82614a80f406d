import GRDB
import Hummingbird

/// `Peer DATABASE PORT`: GRDB's pool behind Hummingbird's router.
@main
struct Peer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let port = Int(arguments[2]) else {
      print("usage: Peer DATABASE PORT")
      return
    }
    let application = Application(
      router: router(try DatabasePool(path: arguments[1])),
      configuration: .init(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
  }

  static func router(_ pool: DatabasePool) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("hello") { _, _ in #"{"status":"ok"}"# }
    router.get("b/{id}") { _, context in
      let id = try context.parameters.require("id", as: Int64.self)
      guard let book = try await pool.read({ try BookAndAuthor.find(id, in: $0) }) else {
        throw HTTPError(.notFound)
      }
      return book
    }
    router.patch("increment/{id}") { _, context in
      let id = try context.parameters.require("id", as: Int64.self)
      try await pool.write {
        try $0.execute(sql: "UPDATE book SET price = price + 1 WHERE id = ?", arguments: [id])
      }
      return #"{"status":"ok"}"#
    }
    router.get("c") { _, _ in try await pool.read { try AuthorAndBooks.fetch(100, in: $0) } }
    router.get("d") { _, _ in try await pool.read { try AuthorAndBooks.fetch(1_000_000, in: $0) } }
    router.get("e") { _, _ in try await pool.read { try AuthorAndReviews.fetch(100, in: $0) } }
    router.get("f") { _, _ in try await pool.read { try BookAndCountry.fetch(100, in: $0) } }
    router.get("g") { _, _ in try await pool.read { try RankedAuthor.fetch(100, in: $0) } }
    return router
  }
}
