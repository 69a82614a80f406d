/// A sequence of elements that are read from the database one at a time, on demand.
///
/// A cursor is valid only inside the closure that the database was given to; afterwards it throws.
public protocol Cursor<Element>: AnyObject {
  /// The type of the elements.
  associatedtype Element

  /// Returns the next element; `nil` at the end.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding the element throws.
  func next() throws -> Element?

  /// Throws the error that a subscript of a row recorded while the last element was decoded.
  ///
  /// The default implementation throws nothing.
  func checkDecoding() throws
}

extension Cursor {
  /// Does nothing.
  public func checkDecoding() throws {}

  /// Returns a cursor over the transformed elements of this one, which are transformed on demand.
  public func map<Mapped>(
    _ transform: @escaping (Element) throws -> Mapped
  ) -> MapCursor<Self, Mapped> {
    MapCursor(self, transform)
  }

  /// Returns a cursor over the elements that satisfy a condition.
  public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
    FilterCursor(self, isIncluded)
  }

  /// Returns a cursor over the first elements, at most `maximum` of them.
  public func prefix(_ maximum: Int) -> PrefixCursor<Self> { PrefixCursor(self, maximum) }

  /// Calls `body` with each remaining element.
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() {
      try body(element)
      try checkDecoding()
    }
  }

  /// Returns the result of combining the remaining elements.
  public func reduce<Result>(
    into result: Result, _ combine: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = result
    try forEach { try combine(&result, $0) }
    return result
  }

  /// Returns whether one of the remaining elements satisfies a condition; reads no further than to this one.
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }

  /// Returns the first of the remaining elements that satisfies a condition.
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      let isMatch = try predicate(element)
      try checkDecoding()
      if isMatch { return element }
    }
    return nil
  }
}

/// A cursor over the transformed elements of another cursor.
public final class MapCursor<Base: Cursor, Element>: Cursor {
  private let base: Base
  private let transform: (Base.Element) throws -> Element

  init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
    self.base = base
    self.transform = transform
  }

  /// Returns the next element; `nil` at the end.
  public func next() throws -> Element? {
    guard let element = try base.next() else { return nil }
    let mapped = try transform(element)
    try base.checkDecoding()
    return mapped
  }

  /// Throws the error that the base cursor has kept.
  public func checkDecoding() throws { try base.checkDecoding() }
}

/// A cursor over the elements of another cursor that satisfy a condition.
public final class FilterCursor<Base: Cursor>: Cursor {
  private let base: Base
  private let isIncluded: (Base.Element) throws -> Bool

  init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// Returns the next element that satisfies the condition; `nil` at the end.
  public func next() throws -> Base.Element? { try base.first(where: isIncluded) }

  /// Throws the error that the base cursor has kept.
  public func checkDecoding() throws { try base.checkDecoding() }
}

/// A cursor over the first elements of another cursor.
public final class PrefixCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var left: Int

  init(_ base: Base, _ maximum: Int) {
    self.base = base
    left = maximum
  }

  /// Returns the next element; `nil` at the end, or after the maximum number of elements.
  public func next() throws -> Base.Element? {
    guard left > 0 else { return nil }
    left -= 1
    return try base.next()
  }

  /// Throws the error that the base cursor has kept.
  public func checkDecoding() throws { try base.checkDecoding() }
}

extension RangeReplaceableCollection {
  /// Creates a collection of the remaining elements of a cursor.
  ///
  /// - Throws: The error that the cursor throws.
  public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self.init()
    try append(contentsOf: cursor)
  }
}
