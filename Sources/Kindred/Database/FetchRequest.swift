import KindredExecution

/// A type that fetches rows: raw SQL or a query-interface request.
///
/// What the rows are decoded into is up to `RowDecoder`. Rows, values and records come with `fetchCursor`,
/// `fetchAll`, `fetchOne` and `fetchSet`; a program adds its own by extensions:
///
///     extension FetchRequest where RowDecoder: MyProtocol { … }
public protocol FetchRequest<RowDecoder> {
  /// What the rows are decoded into.
  associatedtype RowDecoder

  /// The statement of the request, with its arguments, and how its rows are seen.
  ///
  /// - Throws: `DatabaseError` where it can't be prepared.
  func prepare(_ db: Database) throws -> (SelectStatement, (any RowAdapter)?)

  /// The same, with what more the rows need.
  ///
  /// By default, what `prepare` gives.
  ///
  /// - Parameters:
  ///   - db: The database that the request runs on.
  ///   - isForSingleRow: Whether one row will be read at most.
  func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest

  /// How many rows there are.
  ///
  /// By default, SQLite counts the rows of the statement.
  func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
  /// What `prepare` gives.
  public func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    let (statement, adapter) = try prepare(db)
    return PreparedRequest(statement: statement, adapter: adapter)
  }

  /// How many rows there are.
  ///
  /// - Throws: `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int {
    let (statement, _) = try prepare(db)
    let count = try db.makeSelectStatement(sql: "SELECT COUNT(*) FROM (\(statement.sql.enclosable))")
    count.arguments = statement.arguments
    return try Int.fetchOne(count) ?? 0
  }

  /// The same request, whose rows are seen through an adapter.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(base: self, adapter: adapter)
  }
}

/// A request whose rows are seen through an adapter.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// What the rows are decoded into.
  public typealias RowDecoder = Base.RowDecoder

  let base: Base
  let adapter: @Sendable (Database) throws -> any RowAdapter

  /// The statement of the request, with the adapter on top of that of the request.
  public func prepare(_ db: Database) throws -> (SelectStatement, (any RowAdapter)?) {
    let (statement, inner) = try base.prepare(db)
    let outer = try adapter(db)
    return (statement, inner.map { ChainedAdapter(first: $0, second: outer) } ?? outer)
  }

  /// As many as without the adapter.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }
}

extension AdaptedFetchRequest: Sendable where Base: Sendable {}

/// An adapter that sees the rows of another one.
private struct ChainedAdapter: RowAdapter {
  let first: any RowAdapter
  let second: any RowAdapter

  func adapt(_ layout: RowLayout) throws -> RowLayout { try second.adapt(first.adapt(layout)) }
}
