/// A type that stands for tables and columns that can be observed: regions, requests, tables.
public protocol DatabaseRegionConvertible: Sendable {
  /// Returns the tables and columns.
  ///
  /// - Throws: The error of a request that can't be prepared.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
  /// Returns the region itself.
  public func databaseRegion(_ db: Database) -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
  /// All tables of the database.
  public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// Any region.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
  private let region: @Sendable (Database) throws -> DatabaseRegion

  /// Creates a region that a closure determines.
  public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
    self.region = region
  }

  /// Creates a region of another one.
  public init(_ region: any DatabaseRegionConvertible) {
    self.region = { db in try region.databaseRegion(db) }
  }

  /// Returns the tables and columns.
  ///
  /// - Throws: The error that the closure throws.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

extension Database {
  /// Returns what statements read.
  func region(of statements: [String]) throws -> DatabaseRegion {
    let connection = try connection
    let region = try statements.reduce(into: DatabaseRegion()) {
      $0.formUnion(try context.observers.effects(of: $1, on: connection).reads)
    }
    return region.withoutTransients
  }
}

extension Database {
  /// Adds a region to what an observation observes, as if its closure had read it; has no effect elsewhere.
  ///
  ///     let observation = ValueObservation.tracking { db in
  ///       try db.registerAccess(to: Player.all())
  ///       return try cachedPlayers(db)
  ///     }
  ///
  /// - Throws: The error of a region that can't be determined.
  public func registerAccess(to region: @autoclosure () -> any DatabaseRegionConvertible) throws {
    guard registeredRegion != nil else { return }
    registeredRegion?.formUnion(try region().databaseRegion(self))
  }
}

extension Statement {
  /// The tables and columns that the statement reads, and those of the collections of its request; all of the database
  /// when the access has ended.
  public var databaseRegion: DatabaseRegion {
    (try? database.region(of: textsRead ?? [sql])) ?? .fullDatabase
  }
}
