/// Which columns the rows of a request have, and where their values and those of their scopes are found.
///
/// All rows of a request share one layout, and a row shares its values with its scopes:
///
///     values   1   "Moby-Dick"   2   "Herman Melville"
///     columns  id: 0, title: 1
///     scopes   author → columns id: 2, name: 3
public final class RowLayout: Sendable {
  /// A column of a row: a name, and which of the values it has.
  public struct Column: Hashable, Sendable {
    /// The name.
    public let name: String
    /// Which of the row's values it is, from 0.
    public let index: Int

    /// A column that has the value of that index.
    public init(name: String, index: Int) {
      self.name = name
      self.index = index
    }
  }

  /// A row inside of the row.
  public struct Scope: Sendable {
    /// The name; of a joined request's row, the association key.
    public let name: String
    /// The layout, over the same values.
    public let layout: RowLayout

    /// A scope.
    public init(name: String, layout: RowLayout) {
      self.name = name
      self.layout = layout
    }
  }

  /// The columns, in their order.
  public let columns: [Column]
  /// The rows inside of the row, in their order.
  public let scopes: [Scope]

  /// The columns as the statement gives them, where these are others.
  let statement: RowLayout?

  /// By the name as it is written: the way of most look-ups.
  private let positions: [String: Int]
  /// By the name in lower case.
  private let foldedPositions: [String: Int]
  /// A bit for each length of a name in lower case, of 64 and more those of the remainder: most names that are none
  /// of a column, such as those of scopes, need no more to be told.
  private let foldedLengths: UInt64

  /// A layout of columns and scopes.
  public convenience init(columns: [Column], scopes: [Scope] = []) {
    self.init(columns: columns, scopes: scopes, statement: nil)
  }

  /// A layout of columns and scopes, of a statement that has other columns.
  init(columns: [Column], scopes: [Scope], statement: RowLayout?) {
    self.columns = columns
    self.scopes = scopes
    self.statement = statement
    // Of two columns of one name, the first is meant.
    let positions = Dictionary(
      columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.positions = positions
    foldedPositions = Dictionary(
      columns.enumerated().map { ($1.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    foldedLengths = foldedPositions.keys.reduce(0) { $0 | Self.lengthBit($1) }
  }

  /// The layout of a statement's rows: a column per value.
  public convenience init(columnNames: [String]) {
    self.init(columns: columnNames.enumerated().map { Column(name: $1, index: $0) })
  }

  /// The position of the column of that name, whatever its case.
  ///
  /// An exact match goes before one that differs in case, and the first column before a later one.
  public func position(of name: String) -> Int? {
    if let position = positions[name] { return position }
    // The length of a name may change with its case, but not of one in ASCII.
    let isTold = name.utf8.allSatisfy { $0 < 0x80 } && foldedLengths & Self.lengthBit(name) == 0
    return isTold ? nil : foldedPositions[name.lowercased()]
  }

  private static func lengthBit(_ name: String) -> UInt64 { 1 << UInt64(name.utf8.count % 64) }

  /// The scope of that name.
  func scope(_ name: String) -> RowLayout? {
    scopes.first { $0.name == name }?.layout
  }

  /// The columns in that range of positions; only those that there are.
  func columns(in range: Range<Int>) -> [Column] {
    Array(columns[range.clamped(to: columns.indices)])
  }
}
