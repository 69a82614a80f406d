import Foundation
import Kindred

/// A database on a Kindred server, which runs the same typed requests as one in a file.
///
///     let db = RemoteDatabase(URL(string: "https://library.example")!, token: token)
///     let authors = try await db.fetchAll(Author.including(all: Author.books).asRequest(of: AuthorInfo.self))
///
/// A request becomes a URL, and the values of its answer are those of the database, types, NULLs and BLOBs included. What
/// no URL says is refused by name before anything is sent; see ``RemoteError/notExpressible(_:)``.
public final class RemoteDatabase: RequestReader {
  private let server: RemoteServer

  /// Creates a database on the server at a URL.
  ///
  /// Nothing is sent before the first request.
  ///
  /// - Parameters:
  ///   - url: The URL of the server, with its base path if it has one.
  ///   - token: The bearer token; `nil` if the server needs none.
  ///   - transport: Sends the requests; `URLSession` by default.
  public convenience init(_ url: URL, token: String? = nil, transport: RemoteTransport? = nil) {
    self.init(url, token: { token }, transport: transport)
  }

  /// Creates a database on the server at a URL, whose token changes.
  ///
  /// - Parameters:
  ///   - url: The URL of the server, with its base path if it has one.
  ///   - token: Returns the bearer token for the next request; `nil` if the server needs none.
  ///   - transport: Sends the requests; `URLSession` by default.
  public init(
    _ url: URL, token: @escaping @Sendable () async throws -> String?, transport: RemoteTransport? = nil
  ) {
    server = RemoteServer(url, token: token, transport: transport ?? URLSessionTransport.shared.send)
  }

  /// Returns the URL of a request.
  ///
  /// - Throws: `RemoteError`, the error that the request throws, an error of the network.
  public func url<Value>(of request: QueryInterfaceRequest<Value>) async throws -> URL {
    try await server.renewing { try server.url(try await server.prepare(request.blueprint).target) }
  }

  // MARK: Fetching

  /// Returns all values of a request, which are read in one state of the database.
  ///
  /// - Throws: `RemoteError`, the error that the request or decoding throws, an error of the network,
  ///   `CancellationError`.
  public func fetchAll<Value: RowDecodable & Sendable>(
    _ request: QueryInterfaceRequest<Value>
  ) async throws -> [Value] {
    let failures = DecodingFailures()
    defer { failures.detach() }
    var rows = try await server.rows(of: request.blueprint, failures)
    var values: [Value] = []
    while let row = try await rows.next() {
      values.append(try Value.decoded(from: row))
      try failures.check()
    }
    return values
  }

  /// Returns the first value of a request; `nil` if there is no row, or its single value is NULL.
  ///
  /// - Throws: `RemoteError`, the error that the request or decoding throws, an error of the network,
  ///   `CancellationError`.
  public func fetchOne<Value: RowDecodable & Sendable>(
    _ request: QueryInterfaceRequest<Value>
  ) async throws -> Value? {
    var blueprint = request.blueprint
    blueprint.limitToOne()
    let failures = DecodingFailures()
    defer { failures.detach() }
    var rows = try await server.rows(of: blueprint, failures)
    guard let row = try await rows.next() else { return nil }
    let value = try Value.decodedIfPresent(from: row)
    try failures.check()
    return value
  }

  /// Returns the number of rows of a request.
  ///
  /// - Throws: `RemoteError`, the error that the request throws, an error of the network, `CancellationError`.
  public func fetchCount<Value>(_ request: QueryInterfaceRequest<Value>) async throws -> Int {
    try await server.renewing {
      try await server.count(of: server.prepare(request.blueprint, counting: true))
    }
  }

  /// Returns the values of a request one by one, as they arrive.
  ///
  /// They are read in one state of the database, each decoded when the program asks for it, so that memory holds a few of
  /// them, however many there are. The server isn't held up by a program that reads slowly: what it sends beyond a
  /// megabyte waits in a temporary file.
  public func records<Value: RowDecodable & Sendable>(
    of request: QueryInterfaceRequest<Value>
  ) -> AsyncThrowingStream<Value, any Error> {
    let records = RemoteRecords<Value>(of: request.blueprint, from: server)
    return AsyncThrowingStream { try await records.next() }
  }

  // MARK: Live values

  /// Returns all values of a request, at once and again after each commit that changes them, by any client.
  ///
  /// A consumer that is slow gets the latest values, not all of them. Where the connection breaks off or the server is
  /// away, the sequence goes on once it is back; it ends by the error of a server that refuses the request.
  public func values<Value: RowDecodable & Sendable>(
    of request: QueryInterfaceRequest<Value>
  ) -> AsyncValueObservation<[Value]> {
    let blueprint = request.blueprint
    return AsyncValueObservation { [server] in
      .newest { continuation in
        try await server.listen(to: blueprint) { rows in
          let failures = DecodingFailures()
          defer { failures.detach() }
          let values = try rows(failures).map { row in try Value.decoded(from: row) }
          try failures.check()
          continuation.yield(values)
        }
      }
    }
  }
}

extension AsyncThrowingStream where Failure == any Error, Element: Sendable {
  /// Returns the newest of the elements that a task yields; the task is cancelled when the sequence is no longer read.
  fileprivate static func newest(_ body: @escaping @Sendable (Continuation) async throws -> Void) -> Self {
    Self(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          try await body(continuation)
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
