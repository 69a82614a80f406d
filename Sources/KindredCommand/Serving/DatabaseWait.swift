import Foundation
import KindredAPI
import KindredClock
import KindredHTTP
import KindredPostgreSQL
import Logging

/// Waits at the start for a database server, or a database, that isn't there yet.
struct DatabaseWait {
  let place: ListeningPlace
  let settings: ServerSettings
  let logger: Logger

  /// The first and the longest pause between two attempts, in milliseconds.
  private static let pauses = (first: 100, longest: 2000)

  /// Returns the result of `open` once it can connect; until then, the port answers 503.
  ///
  /// - Throws: The error of `open`: at once, if waiting can't help, else when the time is up.
  func opened<Database>(_ open: () throws -> Database) throws -> Database {
    do {
      return try open()
    } catch let error as PostgreSQLError where error.mayPass {
      return try openedLater(open, error)
    }
  }

  private func openedLater<Database>(_ open: () throws -> Database, _ first: PostgreSQLError) throws
    -> Database
  {
    logger.notice("waiting for the database", metadata: ["error": "\(first)"])
    let http = try listening()
    defer { http?.shutdown(grace: .zero) }
    let end =
      settings.service.wait.span.map { MonotonicTime.now() &+ UInt64($0.milliseconds) * 1_000_000 } ?? .max
    var (pause, last) = (Self.pauses.first, first)
    while MonotonicTime.now() < end {
      Thread.sleep(forTimeInterval: Double(pause) / 1000)
      pause = min(pause * 2, Self.pauses.longest)
      do {
        return try open()
      } catch let error as PostgreSQLError where error.mayPass {
        last = error
      }
    }
    throw last
  }

  /// Returns a server that answers in the meantime; nil where clients wait in the queue of a socket that was handed over.
  private func listening() throws -> HTTPServer? {
    if case .descriptors = place { return nil }
    let http = HTTPServer(
      at: place, limits: settings.limits, tls: settings.tls, handler: AwaitingService(), logger: logger)
    _ = try http.start()
    return http
  }
}

extension PostgreSQLError {
  /// Whether a database that can't be opened may be there later, or its schema read, which a lock prevents (`55P03`): libpq
  /// tells only in words that a password is refused.
  fileprivate var mayPass: Bool {
    category == "08" && !message.contains("password") || state == "55P03"
  }
}
