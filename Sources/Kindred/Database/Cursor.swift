/// Elements that are read from the database one by one, when they are asked for.
///
/// A cursor is of use as long as the access to the database lasts.
public protocol Cursor<Element>: AnyObject {
  /// What the cursor gives.
  associatedtype Element

  /// The next element; `nil` at the end.
  ///
  /// - Throws: `DatabaseError`, or what reading an element throws.
  func next() throws -> Element?

  /// Throws what a row's subscript met with in the last element, and could not throw.
  ///
  /// By default there is nothing to throw.
  func checkDecoding() throws
}

extension Cursor {
  /// Nothing to throw.
  public func checkDecoding() throws {}

  /// Elements made of the elements of this cursor, when they are asked for.
  public func map<Mapped>(
    _ transform: @escaping (Element) throws -> Mapped
  ) -> MapCursor<Self, Mapped> {
    MapCursor(self, transform)
  }

  /// The elements that meet a condition.
  public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
    FilterCursor(self, isIncluded)
  }

  /// The first elements, as many as `maximum`.
  public func prefix(_ maximum: Int) -> PrefixCursor<Self> { PrefixCursor(self, maximum) }

  /// Calls `body` with each element that is left.
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() {
      try body(element)
      try checkDecoding()
    }
  }

  /// Combines the elements that are left.
  public func reduce<Result>(
    into result: Result, _ combine: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = result
    try forEach { try combine(&result, $0) }
    return result
  }

  /// Whether one of the elements that are left meets a condition.
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }

  /// The first of the elements that are left to meet a condition.
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      let isMatch = try predicate(element)
      try checkDecoding()
      if isMatch { return element }
    }
    return nil
  }
}

/// The elements of another cursor, transformed.
public final class MapCursor<Base: Cursor, Element>: Cursor {
  private let base: Base
  private let transform: (Base.Element) throws -> Element

  init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
    self.base = base
    self.transform = transform
  }

  /// The next element; `nil` at the end.
  public func next() throws -> Element? {
    guard let element = try base.next() else { return nil }
    let mapped = try transform(element)
    try base.checkDecoding()
    return mapped
  }

  /// Asks the other cursor.
  public func checkDecoding() throws { try base.checkDecoding() }
}

/// The elements of another cursor that meet a condition.
public final class FilterCursor<Base: Cursor>: Cursor {
  private let base: Base
  private let isIncluded: (Base.Element) throws -> Bool

  init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// The next element that meets the condition; `nil` at the end.
  public func next() throws -> Base.Element? { try base.first(where: isIncluded) }

  /// Asks the other cursor.
  public func checkDecoding() throws { try base.checkDecoding() }
}

/// The first elements of another cursor.
public final class PrefixCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var left: Int

  init(_ base: Base, _ maximum: Int) {
    self.base = base
    left = maximum
  }

  /// The next element; `nil` when there have been as many as were asked for.
  public func next() throws -> Base.Element? {
    guard left > 0 else { return nil }
    left -= 1
    return try base.next()
  }

  /// Asks the other cursor.
  public func checkDecoding() throws { try base.checkDecoding() }
}

extension RangeReplaceableCollection {
  /// The elements that are left in a cursor.
  ///
  /// - Throws: What the cursor throws.
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    while let element = try cursor.next() { append(element) }
  }
}

extension Set {
  /// The elements that are left in a cursor.
  ///
  /// - Throws: What the cursor throws.
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    while let element = try cursor.next() { insert(element) }
  }
}
