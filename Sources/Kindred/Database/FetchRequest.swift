import KindredSQLSyntax

/// A type that fetches rows: raw SQL or a query-interface request.
///
/// `RowDecoder` decides what the rows are decoded into. Requests of rows, values and records have `fetchCursor`,
/// `fetchAll`, `fetchOne` and `fetchSet`; a program adds its own methods in extensions:
///
///     extension FetchRequest where RowDecoder: MyProtocol { … }
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
  /// The type that the rows are decoded into.
  associatedtype RowDecoder

  /// Returns the request's statement with its arguments bound, and the adapter of its rows.
  ///
  /// - Throws: `DatabaseError` if the statement can't be prepared.
  func prepare(_ db: Database) throws -> (Statement, (any RowAdapter)?)

  /// Returns the request ready to run, including the statements of its collections.
  ///
  /// By default, it has only what `prepare(_:)` returns.
  ///
  /// - Parameters:
  ///   - db: The database that the request runs on.
  ///   - isForSingleRow: Whether at most one row will be read.
  func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest

  /// Returns the number of rows.
  ///
  /// By default, the statement becomes a subquery whose rows SQLite counts.
  func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
  /// Returns the result of `prepare(_:)`.
  public func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    let (statement, adapter) = try prepare(db)
    return PreparedRequest(statement: statement, adapter: adapter)
  }

  /// Returns the request ready to run, as ``prepareRequest(_:isForSingleRow:)`` does.
  ///
  /// - Throws: The error of the request.
  public func makePreparedRequest(
    _ db: Database, forSingleResult isForSingleRow: Bool = false
  ) throws -> PreparedRequest { try prepareRequest(db, isForSingleRow: isForSingleRow) }

  /// Returns the tables and columns that the statement reads.
  ///
  /// - Throws: `DatabaseError`.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try prepare(db).0.databaseRegion
  }

  /// Returns the number of rows.
  ///
  /// - Throws: `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int {
    let (statement, _) = try prepare(db)
    let count = try db.makeSelectStatement(sql: "SELECT COUNT(*) FROM (\(statement.sql.enclosable))")
    count.arguments = statement.arguments
    return try Int.fetchOne(count) ?? 0
  }

  /// Returns the request with an adapter applied to its rows.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(base: self, adapter: adapter)
  }
}

/// A request with an adapter applied to its rows.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// The type that the rows are decoded into.
  public typealias RowDecoder = Base.RowDecoder

  let base: Base
  let adapter: @Sendable (Database) throws -> any RowAdapter

  /// Returns the base request's statement, with this adapter applied after the request's own.
  public func prepare(_ db: Database) throws -> (Statement, (any RowAdapter)?) {
    let (statement, inner) = try base.prepare(db)
    return (statement, try adapter(db).following(inner))
  }

  /// Returns the base request, including its collections, with this adapter applied after the request's own.
  public func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    var request = try base.prepareRequest(db, isForSingleRow: isForSingleRow)
    request.adapter = try adapter(db).following(request.adapter)
    return request
  }

  /// Returns the tables and columns that the base request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }

  /// Returns the number of rows of the base request.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }
}

extension RowAdapter {
  /// Returns the adapter, applied to the result of another one if there is one.
  fileprivate func following(_ first: (any RowAdapter)?) -> any RowAdapter {
    first.map { ChainedAdapter(first: $0, second: self) } ?? self
  }
}

/// An adapter that is applied to the result of another.
private struct ChainedAdapter: RowAdapter {
  let first: any RowAdapter
  let second: any RowAdapter

  func adapt(_ layout: RowLayout) throws -> RowLayout { try second.adapt(first.adapt(layout)) }
}
