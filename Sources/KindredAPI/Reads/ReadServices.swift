import KindredModel
import KindredBackend
import KindredHTTP
import KindredRequests

/// The services of the databases that answer reads, and the choice among them.
final class ReadServices: Sendable {
  private let replication: (any Replication)?
  /// By the numbers of their databases.
  private let services: [RecordsService]

  init(_ services: [RecordsService], _ replication: (any Replication)?) {
    self.services = services
    self.replication = replication
  }

  /// The header field that tells how far the changes have come that an answer shows, or has to show.
  static let position = "Kindred-Position"

  /// Returns the answer of the first database that can give it: one of the copies in turn, as far as the request allows
  /// it, or the database itself.
  ///
  /// - Parameter body: Answers from a database; it may be called once for each.
  /// - Throws: What `body` throws; `NoneFree` with the database in whose queue the request should wait.
  func read<Answer>(
    _ asked: inout RequestContext, _ body: (RecordsService, inout RequestContext) throws -> Answer
  ) throws -> Answer {
    guard let replication else { return try body(services[0], &asked) }
    var order = replication.order(after: try Self.position(of: asked.request))
    if case .queued(let ticket) = asked.readers {
      order = [ticket.database] + order.filter { $0 != ticket.database }
    } else if let known = asked.state?.database, order.contains(known) {
      order = [known] + order.filter { $0 != known }
    }
    var busy: ReaderSource.NoneFree?
    var failure: any Error = Problem.unavailable
    for (index, number) in order.enumerated() {
      // A ticket is of one database.
      if index > 0, case .queued = asked.readers { asked.readers = .free }
      do {
        return try body(services[number], &asked)
      } catch var none as ReaderSource.NoneFree {
        none.database = number
        busy = busy ?? none
      } catch let error as any BackendError where error.concernsDatabase {
        if error.kind != .busy { replication.note(failureOf: number) }
        failure = error
      }
    }
    throw busy ?? failure
  }

  /// Returns the position that the answer has to show; nil if the request names none.
  ///
  /// - Throws: `RequestError` (400).
  private static func position(of request: HTTPRequest) throws -> Position? {
    guard let text = request.headers[position] else { return nil }
    guard let position = Position(text) else {
      throw RequestError(
        .invalidValue, "`\(position)` must be what an answer had there, such as 3-16/B374D848")
    }
    return position
  }
}

extension BackendError {
  /// Whether another copy of the database may answer instead.
  fileprivate var concernsDatabase: Bool {
    switch kind {
    case .busy, .unavailable, .away: true
    default: false
    }
  }
}

extension HTTPResponse {
  /// The position that the response tells; nil without one.
  var position: Position? { headers[ReadServices.position].flatMap { Position($0) } }

  /// Returns the response with the position that it shows, if that is known.
  func telling(_ position: Position?) -> HTTPResponse {
    guard let position else { return self }
    var response = self
    response.headers.append(ReadServices.position, position.description)
    return response
  }
}
