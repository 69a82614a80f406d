import OrderedCollections

/// Values by name, in order; a name finds only the value of a name with the same bytes.
public struct NameDictionary<Value> {
  private var entries: OrderedDictionary<ExactName, Value>

  /// Creates a dictionary without values.
  public init() { entries = [:] }

  /// Creates a dictionary of names and values; of equal names, `combine` chooses the value.
  public init(
    _ pairs: some Sequence<(String, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    entries = try OrderedDictionary(
      pairs.lazy.map { (ExactName($0), $1) }, uniquingKeysWith: combine)
  }

  private init(entries: OrderedDictionary<ExactName, Value>) { self.entries = entries }

  /// The value of a name; nil if there is none.
  public subscript(name: String) -> Value? {
    get { entries[ExactName(name)] }
    _modify { yield &entries[ExactName(name)] }
  }

  /// The names.
  public var keys: [String] { entries.keys.map(\.text) }

  /// The values in the order of their names.
  public var values: OrderedDictionary<ExactName, Value>.Values { entries.values }

  /// Returns the dictionary of the same names with other values.
  public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> NameDictionary<Other> {
    NameDictionary<Other>(entries: try entries.mapValues(transform))
  }

  /// Returns the dictionary with other values, without the names for which there is none.
  public func compactMapValues<Other>(
    _ transform: (Value) throws -> Other?
  ) rethrows -> NameDictionary<Other> {
    NameDictionary<Other>(entries: try entries.compactMapValues(transform))
  }

  /// Returns the dictionary of the names and values for which a condition holds.
  public func filter(_ holds: (Element) throws -> Bool) rethrows -> NameDictionary {
    NameDictionary(entries: try entries.filter { try holds(($0.key.text, $0.value)) })
  }
}

extension NameDictionary: Sendable where Value: Sendable {}

extension NameDictionary: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary in source code, whose names differ.
  public init(dictionaryLiteral pairs: (String, Value)...) {
    self.init(pairs, uniquingKeysWith: { first, _ in first })
  }
}

extension NameDictionary: RandomAccessCollection {
  /// A name and its value.
  public typealias Element = (key: String, value: Value)

  /// The position of the first name.
  public var startIndex: Int { 0 }

  /// The position after the last name.
  public var endIndex: Int { entries.count }

  /// The name and the value at a position.
  public subscript(position: Int) -> Element {
    let entry = entries.elements[position]
    return (entry.key.text, entry.value)
  }
}
