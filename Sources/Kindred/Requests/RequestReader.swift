/// A database that fetches what a request describes, in a file or on a server.
///
/// A program that uses only these methods runs on both:
///
///     func authors(of db: some RequestReader) async throws -> [AuthorInfo] {
///       try await db.fetchAll(Author.including(all: Author.books).asRequest(of: AuthorInfo.self))
///     }
public protocol RequestReader: Sendable {
  /// Returns all values of a request.
  ///
  /// - Throws: The error that the request, the database or decoding throws; `CancellationError`.
  func fetchAll<Value: RowDecodable & Sendable>(_ request: QueryInterfaceRequest<Value>) async throws
    -> [Value]

  /// Returns the first value of a request; `nil` if there is no row, or its single value is NULL.
  ///
  /// - Throws: The error that the request, the database or decoding throws; `CancellationError`.
  func fetchOne<Value: RowDecodable & Sendable>(_ request: QueryInterfaceRequest<Value>) async throws
    -> Value?

  /// Returns the number of rows of a request.
  ///
  /// - Throws: The error that the request or the database throws; `CancellationError`.
  func fetchCount<Value>(_ request: QueryInterfaceRequest<Value>) async throws -> Int

  /// Returns all values of a request, at once and again after each commit that may change them.
  ///
  /// The sequence ends by the error that fetching throws, or when its task is cancelled.
  func values<Value: RowDecodable & Sendable>(
    of request: QueryInterfaceRequest<Value>
  ) -> AsyncValueObservation<[Value]>
}

extension RequestReader {
  /// Returns the distinct values of a request.
  ///
  /// - Throws: The error that the request, the database or decoding throws; `CancellationError`.
  public func fetchSet<Value: RowDecodable & Hashable & Sendable>(
    _ request: QueryInterfaceRequest<Value>
  ) async throws -> Set<Value> { Set(try await fetchAll(request)) }
}

extension RequestReader where Self: DatabaseReader {
  /// Returns all values of a request.
  ///
  /// - Throws: The error that the request, the database or decoding throws; `CancellationError`.
  public func fetchAll<Value: RowDecodable & Sendable>(
    _ request: QueryInterfaceRequest<Value>
  ) async throws -> [Value] { try await read { db in try request.fetchAll(db) } }

  /// Returns the first value of a request; `nil` if there is no row, or its single value is NULL.
  ///
  /// - Throws: The error that the request, the database or decoding throws; `CancellationError`.
  public func fetchOne<Value: RowDecodable & Sendable>(
    _ request: QueryInterfaceRequest<Value>
  ) async throws -> Value? { try await read { db in try request.fetchOne(db) } }

  /// Returns the number of rows of a request.
  ///
  /// - Throws: The error that the request or the database throws; `CancellationError`.
  public func fetchCount<Value>(_ request: QueryInterfaceRequest<Value>) async throws -> Int {
    try await read { db in try request.fetchCount(db) }
  }

  /// Returns all values of a request, at once and again after each commit that may change them.
  public func values<Value: RowDecodable & Sendable>(
    of request: QueryInterfaceRequest<Value>
  ) -> AsyncValueObservation<[Value]> {
    ValueObservation.tracking { db in try request.fetchAll(db) }
      .values(in: self, bufferingPolicy: .bufferingNewest(1))
  }
}

extension DatabaseQueue: RequestReader {}
extension DatabasePool: RequestReader {}
extension DatabaseSnapshot: RequestReader {}
