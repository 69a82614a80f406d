import KindredSQLite

/// A cursor over the elements of any cursor or sequence.
public final class AnyCursor<Element>: Cursor {
  private let nextElement: () throws -> Element?
  private let checkElement: () throws -> Void

  /// Creates a cursor over the elements of another.
  public init<Base: Cursor>(_ base: Base) where Base.Element == Element {
    (nextElement, checkElement) = (base.next, base.checkDecoding)
  }

  /// Creates a cursor over the elements of a sequence.
  public init<Base: Sequence>(_ sequence: Base) where Base.Element == Element {
    var iterator = sequence.makeIterator()
    (nextElement, checkElement) = ({ iterator.next() }, {})
  }

  /// Creates a cursor over what a closure returns, until it returns `nil`.
  public init(_ next: @escaping () throws -> Element?) { (nextElement, checkElement) = (next, {}) }

  /// Creates a cursor over what a closure returns, until it returns `nil`, from the rows of another cursor.
  init(of base: some Cursor, _ next: @escaping () throws -> Element?) {
    (nextElement, checkElement) = (next, base.checkDecoding)
  }

  /// Returns the next element; `nil` at the end.
  public func next() throws -> Element? { try nextElement() }

  /// Throws the error that the base cursor has kept.
  public func checkDecoding() throws { try checkElement() }
}

// MARK: - Cursors over the elements of this one, on demand

extension Cursor {
  /// Returns a cursor over the transformed elements that are not `nil`.
  public func compactMap<Mapped>(
    _ transform: @escaping (Element) throws -> Mapped?
  ) -> AnyCursor<Mapped> {
    AnyCursor(of: self) { [self] in
      while let element = try next() {
        let mapped = try transform(element)
        try checkDecoding()
        if let mapped { return mapped }
      }
      return nil
    }
  }

  /// Returns a cursor over the elements of the sequences that a closure returns, one sequence after the other.
  public func flatMap<Segment: Sequence>(
    _ transform: @escaping (Element) throws -> Segment
  ) -> AnyCursor<Segment.Element> {
    var segment: Segment.Iterator?
    return AnyCursor(of: self) { [self] in
      while true {
        if let element = segment?.next() { return element }
        guard let element = try next() else { return nil }
        segment = try transform(element).makeIterator()
        try checkDecoding()
      }
    }
  }

  /// Returns a cursor over the elements with their numbers from 0.
  public func enumerated() -> AnyCursor<(Int, Element)> {
    var number = -1
    return AnyCursor(of: self) { [self] in
      number += 1
      return try next().map { (number, $0) }
    }
  }

  /// Returns a cursor over the elements after the first ones.
  public func dropFirst(_ count: Int = 1) -> AnyCursor<Element> {
    var left = count
    return AnyCursor(of: self) { [self] in
      while left > 0 {
        left -= 1
        if try next() == nil { return nil }
      }
      return try next()
    }
  }

  /// Returns a cursor over the elements from the first one that doesn't satisfy a condition.
  public func drop(while predicate: @escaping (Element) throws -> Bool) -> AnyCursor<Element> {
    var isDropping = true
    return AnyCursor(of: self) { [self] in
      while let element = try next() {
        if isDropping { isDropping = try predicate(element) }
        try checkDecoding()
        if !isDropping { return element }
      }
      return nil
    }
  }

  /// Returns a cursor over the elements before the first one that doesn't satisfy a condition.
  public func prefix(while predicate: @escaping (Element) throws -> Bool) -> AnyCursor<Element> {
    var isAtEnd = false
    return AnyCursor(of: self) { [self] in
      guard !isAtEnd, let element = try next() else { return nil }
      isAtEnd = try !predicate(element)
      try checkDecoding()
      return isAtEnd ? nil : element
    }
  }
}

// MARK: - The remaining elements

extension Cursor {
  /// Returns the last of the remaining elements, at most `maximum` of them.
  public func suffix(_ maximum: Int) throws -> [Element] { try Array(self).suffix(maximum) }

  /// Returns the remaining elements without the last ones.
  public func dropLast(_ count: Int = 1) throws -> [Element] { try Array(self).dropLast(count) }

  /// Returns the next element; `nil` at the end.
  public func first() throws -> Element? {
    try first { _ in true }
  }

  /// Whether there are no more elements; reads the next one.
  public var isEmpty: Bool { get throws { try next() == nil } }

  /// Returns the result of combining the remaining elements.
  public func reduce<Result>(
    _ initial: Result, _ combine: (Result, Element) throws -> Result
  ) throws -> Result {
    try reduce(into: initial) { $0 = try combine($0, $1) }
  }

  /// Returns the greatest of the remaining elements.
  public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
    try reduce(nil) { greatest, element in
      try greatest.map { try areInIncreasingOrder($0, element) ? element : $0 } ?? element
    }
  }

  /// Returns the least of the remaining elements.
  public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
    try reduce(nil) { least, element in
      try least.map { try areInIncreasingOrder(element, $0) ? element : $0 } ?? element
    }
  }
}

extension Cursor where Element: Comparable {
  /// Returns the greatest of the remaining elements.
  public func max() throws -> Element? { try max(by: <) }

  /// Returns the least of the remaining elements.
  public func min() throws -> Element? { try min(by: <) }
}

extension Cursor where Element: Equatable {
  /// Returns whether an element is among the remaining ones; reads no further than to it.
  public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: StringProtocol {
  /// Returns the remaining elements as one text, with a separator between them.
  public func joined(separator: String = "") throws -> String {
    try Array(self).joined(separator: separator)
  }
}

extension Cursor where Element: Cursor {
  /// Returns a cursor over the elements of the cursors, one cursor after the other.
  public func joined() -> AnyCursor<Element.Element> {
    var segment: Element?
    return AnyCursor(of: self) { [self] in
      while true {
        if let element = try segment?.next() { return element }
        segment = try next()
        if segment == nil { return nil }
      }
    }
  }
}

extension RangeReplaceableCollection {
  /// Appends the remaining elements of a cursor.
  ///
  /// - Throws: The error that the cursor throws.
  public mutating func append<C: Cursor>(contentsOf cursor: C) throws where C.Element == Element {
    while let element = try cursor.next() { append(element) }
  }
}

extension Set {
  /// Creates a set of the remaining elements of a cursor, with room for a number of them.
  ///
  /// - Throws: The error that the cursor throws.
  public init<C: Cursor>(_ cursor: C, minimumCapacity: Int = 0) throws where C.Element == Element {
    self.init(minimumCapacity: minimumCapacity)
    try formUnion(cursor)
  }

  /// Adds the remaining elements of a cursor.
  ///
  /// - Throws: The error that the cursor throws.
  public mutating func formUnion<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    while let element = try cursor.next() { insert(element) }
  }

  /// Returns the set with the remaining elements of a cursor.
  ///
  /// - Throws: The error that the cursor throws.
  public func union<C: Cursor>(_ cursor: C) throws -> Set where C.Element == Element {
    var union = self
    try union.formUnion(cursor)
    return union
  }

  /// Keeps the elements that are also among the remaining ones of a cursor.
  ///
  /// - Throws: The error that the cursor throws.
  public mutating func formIntersection<C: Cursor>(_ cursor: C) throws where C.Element == Element {
    self = try intersection(cursor)
  }

  /// Returns the elements that are also among the remaining ones of a cursor.
  ///
  /// - Throws: The error that the cursor throws.
  public func intersection<C: Cursor>(_ cursor: C) throws -> Set where C.Element == Element {
    var intersection: Set = []
    while let element = try cursor.next() { if contains(element) { intersection.insert(element) } }
    return intersection
  }
}

extension Array {
  /// Creates an array of the remaining elements of a cursor, with room for a number of them.
  ///
  /// - Throws: The error that the cursor throws.
  public init<C: Cursor>(_ cursor: C, minimumCapacity: Int) throws where C.Element == Element {
    self.init()
    reserveCapacity(minimumCapacity)
    try append(contentsOf: cursor)
  }
}

extension Dictionary {
  /// Creates a dictionary of the remaining elements of a cursor, by a key that groups them, with room for a number of
  /// keys.
  ///
  /// - Throws: The error that the cursor or the closure throws.
  public init<C: Cursor>(
    minimumCapacity: Int = 0, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    self.init(minimumCapacity: minimumCapacity)
    try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
  }

  /// Creates a dictionary of the remaining keys and values of a cursor, with room for a number of them.
  ///
  /// - Throws: The error that the cursor throws; `DatabaseError` (misuse) if a key occurs twice.
  public init<C: Cursor>(
    minimumCapacity: Int = 0, uniqueKeysWithValues cursor: C
  ) throws where C.Element == (Key, Value) {
    self.init(minimumCapacity: minimumCapacity)
    try cursor.forEach { key, value in
      guard updateValue(value, forKey: key) == nil else {
        throw DatabaseError.misuse("a key of the dictionary occurs twice")
      }
    }
  }

  /// Creates a dictionary of the remaining keys and values of a cursor.
  ///
  /// - Throws: The error that the cursor or the closure throws.
  public init<C: Cursor>(
    _ cursor: C, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) throws where C.Element == (Key, Value) {
    self.init()
    try cursor.forEach { key, value in
      self[key] = try self[key].map { try combine($0, value) } ?? value
    }
  }
}
