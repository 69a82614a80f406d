/// How an observation makes the values that it notifies out of what it fetches.
public protocol ValueReducer<Value>: Sendable {
  /// What is fetched.
  associatedtype Fetched: Sendable
  /// What is notified.
  associatedtype Value: Sendable

  /// Fetches; what is read here is observed.
  func fetch(_ db: Database) throws -> Fetched

  /// The value to notify; `nil` for none.
  mutating func value(_ fetched: Fetched) -> Value?
}

/// The ways to make values.
public enum ValueReducers {
  /// All rows of a request.
  public typealias AllRecords<Record: Sendable> = Fetch<[Record]>
  /// The first row of a request.
  public typealias OneRecord<Record: Sendable> = Fetch<Record?>

  /// What is fetched, as it is.
  public struct Fetch<Value: Sendable>: ValueReducer {
    let body: @Sendable (Database) throws -> Value

    /// Fetches.
    public func fetch(_ db: Database) throws -> Value { try body(db) }

    /// What was fetched.
    public func value(_ fetched: Value) -> Value? { fetched }
  }

  /// The values of another reducer, without those that are equal to the one before.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer where Base.Value: Equatable {
    var base: Base
    var last: Base.Value?

    /// Fetches as the other reducer does.
    public func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    /// The value of the other reducer, unless it is equal to the one before.
    public mutating func value(_ fetched: Base.Fetched) -> Base.Value? {
      guard let value = base.value(fetched), value != last else { return nil }
      last = value
      return value
    }
  }

  /// The values of another reducer, transformed.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: @Sendable (Base.Value) -> Value

    /// Fetches as the other reducer does.
    public func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    /// The transformed value of the other reducer.
    public mutating func value(_ fetched: Base.Fetched) -> Value? { base.value(fetched).map(transform) }
  }
}
