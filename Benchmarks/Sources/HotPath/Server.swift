import KindredAPI
import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredHTTP
import KindredRequests
import KindredSQLite
import Logging

/// Kindred's answers, from a parsed request to the last byte of its body.
final class Server {
  private let service: KindredService

  init(_ path: String) throws {
    let pool = try ConnectionPool(path: path, access: .readOnly, readers: 1)
    var options = KindredService.Options()
    options.limits.maximumPageSize = nil
    service = try KindredService(SQLiteBackend(pool), options: options, logger: Logger(label: "benchmark")) {
      source in
      Model(inferredFrom: try source.schema())
    }
  }

  /// The number of bytes.
  func run(_ route: Character, _ number: Int) throws -> Int {
    let response = service.respond(to: HTTPRequest(method: .get, target: target(route, number)))
    switch response.body {
    case .none: return 0
    case .bytes(let bytes): return bytes.count
    case .stream(let stream, _):
      defer { stream.close() }
      var count = 0
      while let part = try stream.next() { count += part.count }
      return count
    }
  }

  private func target(_ route: Character, _ number: Int) -> String {
    switch route {
    case "b": "/books/\(1 + number % 1000)?include=author"
    case "c": "/authors?limit=100&include=books&annotate=bookCount"
    case "d": "/authors?limit=1000000&include=books&annotate=bookCount"
    case "e": "/authors?limit=100&include=books.reviews"
    case "f": "/books?limit=100&include=author.country"
    case "g":
      "/authors?having=books.count%3E=5&annotate=bookCount,maxBookYear,paintingCount&sort=-bookCount&limit=100"
    default: "/"
    }
  }
}
