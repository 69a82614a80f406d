import Synchronization

/// The columns and scopes of rows, and where their values are found.
///
/// All rows of a request share a layout, and a row shares its values with its scopes:
///
///     values   1   "Moby-Dick"   2   "Herman Melville"
///     columns  id: 0, title: 1
///     scopes   author → columns id: 2, name: 3
public final class RowLayout: Sendable {
  /// A column of a row: its name and the index of its value.
  public struct Column: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The index among the row's values, from 0.
    public let index: Int

    /// Creates a column with the value at an index.
    public init(name: String, index: Int) {
      self.name = name
      self.index = index
    }
  }

  /// A nested row.
  public struct Scope: Sendable {
    /// The name of the scope; for a joined record, the key of the association.
    public let name: String
    /// The layout of the nested row, over the same values.
    public let layout: RowLayout

    /// Creates a scope.
    public init(name: String, layout: RowLayout) {
      self.name = name
      self.layout = layout
    }
  }

  /// The columns in order.
  public let columns: [Column]
  /// The nested rows in order.
  public let scopes: [Scope]

  /// The layout of the statement's rows if it differs.
  let statement: RowLayout?

  /// The positions of columns by their exact names, as most lookups use them.
  private let positions: [String: Int]
  /// The positions of columns by their names in lower case.
  private let foldedPositions: [String: Int]
  /// A bit for the length modulo 64 of each name in lower case.
  ///
  /// It rejects most names that no column has, such as those of scopes, without hashing them.
  private let foldedLengths: UInt64
  /// Whether each column is the first of its name, so that the name means it.
  private let areFirst: [Bool]
  /// The positions of columns by the names of the properties of record types that convert names, found once for each.
  private let converted = Mutex<[ObjectIdentifier: [String: Int]]>([:])

  /// Creates a layout of columns and scopes.
  public convenience init(columns: [Column], scopes: [Scope] = []) {
    self.init(columns: columns, scopes: scopes, statement: nil)
  }

  /// Creates a layout of columns and scopes for a statement whose own layout may differ.
  init(columns: [Column], scopes: [Scope], statement: RowLayout?) {
    self.columns = columns
    self.scopes = scopes
    self.statement = statement
    // Of two columns with one name, the first is taken.
    let positions = Dictionary(
      columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.positions = positions
    foldedPositions = Dictionary(
      columns.enumerated().map { ($1.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    foldedLengths = foldedPositions.keys.reduce(0) { $0 | Self.lengthBit($1) }
    areFirst = columns.enumerated().map { positions[$1.name] == $0 }
  }

  /// Creates the layout of a statement's rows, with a column for each value.
  public convenience init(columnNames: [String]) {
    self.init(columns: columnNames.enumerated().map { Column(name: $1, index: $0) })
  }

  /// Returns the position of the column with a name, ignoring case.
  ///
  /// An exact match is preferred to one that differs in case, and the first column to later ones.
  public func position(of name: String) -> Int? {
    // A few names are compared faster than one is hashed.
    if columns.count <= 16 {
      for (position, column) in columns.enumerated() where column.name == name { return position }
    } else if let position = positions[name] {
      return position
    }
    // Changing the case preserves the length of ASCII names only.
    let isTold = foldedLengths & Self.lengthBit(name) == 0 && name.utf8.allSatisfy { $0 < 0x80 }
    return isTold ? nil : foldedPositions[name.lowercased()]
  }

  /// Returns whether the column at a position is the one that `position(of:)` finds by a name.
  func isColumn(at position: Int, named name: String) -> Bool {
    columns.indices.contains(position) && columns[position].name == name && areFirst[position]
  }

  /// Returns the positions of the columns by the names of a record type's properties.
  ///
  /// - Parameter property: Returns the name of the property of a column.
  func positions(for record: Any.Type, _ property: (String) -> String) -> [String: Int] {
    let type = ObjectIdentifier(record)
    if let known = converted.withLock({ $0[type] }) { return known }
    let positions = Dictionary(
      columns.enumerated().map { (property($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    converted.withLock { $0[type] = positions }
    return positions
  }

  private static func lengthBit(_ name: String) -> UInt64 { 1 << UInt64(name.utf8.count % 64) }

  /// Returns the layout of the scope with a name.
  func scope(_ name: String) -> RowLayout? {
    scopes.first { $0.name == name }?.layout
  }

  /// Returns the existing columns in a range of positions.
  func columns(in range: Range<Int>) -> [Column] {
    Array(columns[range.clamped(to: columns.indices)])
  }
}
