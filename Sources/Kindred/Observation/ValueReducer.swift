/// Turns the values that an observation fetches into the values that it notifies.
public protocol ValueReducer<Value>: Sendable {
  /// The type of the fetched values.
  associatedtype Fetched: Sendable
  /// The type of the values that are notified.
  associatedtype Value: Sendable

  /// Fetches from the database; the tables and columns read here are observed.
  func fetch(_ db: Database) throws -> Fetched

  /// Returns the value to notify; `nil` for none.
  mutating func value(_ fetched: Fetched) -> Value?

  /// Returns the tables and columns that are observed; `nil` if they are what the fetch reads.
  func observedRegion(_ db: Database) throws -> DatabaseRegion?
}

extension ValueReducer {
  /// Returns `nil`: what the fetch reads is observed.
  public func observedRegion(_ db: Database) throws -> DatabaseRegion? { nil }
}

/// The reducers of observations.
public enum ValueReducers {
  /// All rows of a request.
  public typealias AllRecords<Record: Sendable> = Fetch<[Record]>
  /// The first row of a request.
  public typealias OneRecord<Record: Sendable> = Fetch<Record?>

  /// Notifies the fetched values unchanged.
  public struct Fetch<Value: Sendable>: ValueReducer {
    let body: @Sendable (Database) throws -> Value
    /// The tables and columns that are observed; nil if they are what the closure reads.
    var regions: [any DatabaseRegionConvertible]?

    /// Calls the closure of the observation.
    public func fetch(_ db: Database) throws -> Value { try body(db) }

    /// Returns the tables and columns that are observed; `nil` if they are what the closure reads.
    public func observedRegion(_ db: Database) throws -> DatabaseRegion? {
      try regions?.reduce(into: DatabaseRegion()) { $0.formUnion(try $1.databaseRegion(db)) }
    }

    /// Returns the fetched value.
    public func value(_ fetched: Value) -> Value? { fetched }
  }

  /// Notifies the values of another reducer, except those equal to the one before.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer where Base.Value: Equatable {
    var base: Base
    var last: Base.Value?

    /// Fetches as the base reducer does.
    public func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    /// Returns the tables and columns that the base reducer observes.
    public func observedRegion(_ db: Database) throws -> DatabaseRegion? { try base.observedRegion(db) }

    /// Returns the value of the base reducer, or `nil` if it equals the one before.
    public mutating func value(_ fetched: Base.Fetched) -> Base.Value? {
      guard let value = base.value(fetched), value != last else { return nil }
      last = value
      return value
    }
  }

  /// Notifies the values of another reducer, except values that a closure considers equal to the previous one.
  public struct RemoveDuplicatesBy<Base: ValueReducer>: ValueReducer {
    var base: Base
    let areEqual: @Sendable (Base.Value, Base.Value) -> Bool
    var last: Base.Value?

    /// Fetches as the base reducer does.
    public func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    /// Returns the tables and columns that the base reducer observes.
    public func observedRegion(_ db: Database) throws -> DatabaseRegion? { try base.observedRegion(db) }

    /// Returns the value of the base reducer, or `nil` if it equals the one before.
    public mutating func value(_ fetched: Base.Fetched) -> Base.Value? {
      guard let value = base.value(fetched), !(last.map { areEqual($0, value) } ?? false) else { return nil }
      last = value
      return value
    }
  }

  /// Notifies the transformed values of another reducer.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: @Sendable (Base.Value) -> Value

    /// Fetches as the base reducer does.
    public func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    /// Returns the tables and columns that the base reducer observes.
    public func observedRegion(_ db: Database) throws -> DatabaseRegion? { try base.observedRegion(db) }

    /// Returns the transformed value of the base reducer.
    public mutating func value(_ fetched: Base.Fetched) -> Value? { base.value(fetched).map(transform) }
  }
}
