import KindredSQLSyntax

/// A set of names, which differ if their bytes do.
public struct NameSet: Sendable, Hashable {
  private var names: Set<ExactName>

  /// Creates the set of these names.
  public init(_ names: some Sequence<String>) { self.names = Set(names.map { ExactName($0) }) }

  /// Creates a set without names.
  public init() { names = [] }

  /// Returns whether a name is in the set.
  public func contains(_ name: String) -> Bool { names.contains(ExactName(name)) }

  /// Returns whether no name is in both sets.
  public func isDisjoint(with others: some Sequence<String>) -> Bool {
    others.allSatisfy { !contains($0) }
  }

  /// Returns the names that are in both sets.
  public func intersection(_ others: NameSet) -> NameSet {
    var common = NameSet()
    common.names = names.intersection(others.names)
    return common
  }

  /// Adds a name; returns whether it is new.
  @discardableResult
  public mutating func insert(_ name: String) -> Bool { names.insert(ExactName(name)).inserted }

  /// Adds names.
  public mutating func formUnion(_ others: some Sequence<String>) {
    names.formUnion(others.map { ExactName($0) })
  }

  /// Removes a name.
  public mutating func remove(_ name: String) { names.remove(ExactName(name)) }

  /// Removes names.
  public mutating func subtract(_ others: some Sequence<String>) {
    names.subtract(others.map { ExactName($0) })
  }
}

extension NameSet: ExactKey {}

extension NameSet: ExpressibleByArrayLiteral {
  /// Creates a set in source code.
  public init(arrayLiteral names: String...) { self.init(names) }
}

extension NameSet: Collection {
  /// A position in the set, which has no order.
  public typealias Index = Set<ExactName>.Index

  /// The position of the first name.
  public var startIndex: Index { names.startIndex }

  /// The position after the last name.
  public var endIndex: Index { names.endIndex }

  /// The name at a position.
  public subscript(position: Index) -> String { names[position].text }

  /// Returns the position after another one.
  public func index(after position: Index) -> Index { names.index(after: position) }
}
