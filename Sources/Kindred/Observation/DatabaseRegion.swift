/// The tables and columns that statements read.
///
///     let region = try Player.all().databaseRegion(db)
public struct DatabaseRegion: Equatable, Sendable {
  /// The columns that are read, by table.
  ///
  /// The set is empty if only the number of rows is read, and nil if all columns are.
  private(set) var columns: [RegionName: Set<RegionName>?] = [:]
  /// Whether temporary tables are read, whose content may be copied from other tables.
  private(set) var hasTemporaryTables = false
  /// Whether it is all of the database.
  public private(set) var isFullDatabase = false

  /// The empty region.
  public init() {}

  /// Creates the region of all rows and columns of a table.
  public init(table: String) {
    columns[RegionName(table)] = .some(nil)
  }

  /// All tables of the database.
  public static let fullDatabase: DatabaseRegion = {
    var region = DatabaseRegion()
    region.isFullDatabase = true
    return region
  }()

  /// Whether nothing is read.
  public var isEmpty: Bool { !isFullDatabase && columns.isEmpty }

  mutating func insert(table: String, column: String, isTemporary: Bool) {
    hasTemporaryTables = hasTemporaryTables || isTemporary
    let name = RegionName(table)
    guard var known = columns[name, default: []] else { return }
    if !column.isEmpty { known.insert(RegionName(column)) }
    columns[name] = known
  }

  /// Adds another region.
  public mutating func formUnion(_ other: DatabaseRegion) {
    columns.merge(other.columns) { left, right in
      if let left, let right { left.union(right) } else { nil }
    }
    hasTemporaryTables = hasTemporaryTables || other.hasTemporaryTables
    isFullDatabase = isFullDatabase || other.isFullDatabase
  }

  /// Returns both regions together.
  public func union(_ other: DatabaseRegion) -> DatabaseRegion {
    var union = self
    union.formUnion(other)
    return union
  }

  /// The region without the engine's own transient tables.
  var withoutTransients: DatabaseRegion {
    var region = self
    region.columns = columns.filter { !$0.key.folded.hasPrefix("kindred:") }
    return region
  }

  /// Returns whether changes can affect what is read.
  func isTouched(by changes: DatabaseChanges) -> Bool {
    if changes.isUnknown { return true }
    if isFullDatabase { return !changes.isEmpty }
    return columns.contains { table, columns in
      if changes.rows.contains(table.folded) { return true }
      guard let changed = changes.columns[table.folded] else { return false }
      return columns.map { $0.contains { changed.contains($0.folded) } } ?? true
    }
  }

  /// Returns whether changes of a kind can affect what is read.
  public func isModified(byEventsOfKind kind: DatabaseEventKind) -> Bool {
    guard !isFullDatabase else { return true }
    guard let columns = columns[RegionName(kind.tableName)] else { return false }
    guard case .update(_, let changed) = kind, let columns else { return true }
    return !columns.isDisjoint(with: changed.map(RegionName.init))
  }

  /// Returns whether a change, which is of a kind that can affect what is read, is one of a table that is read.
  public func isModified(by event: DatabaseEvent) -> Bool {
    isFullDatabase || columns[RegionName(event.tableName)] != nil
  }
}

extension DatabaseRegion: CustomStringConvertible {
  /// The tables with their columns: `author(*),book(id,title)`.
  ///
  /// A rowid is named only where no column is read, because the order of records reads it as well.
  public var description: String {
    if isFullDatabase { return "full database" }
    if isEmpty { return "empty" }
    let tables = columns.map { table, columns in
      guard let columns else { return "\(table.name)(*)" }
      let declared = columns.filter { $0.folded != "rowid" }
      return
        "\(table.name)(\((declared.isEmpty ? columns : declared).map(\.name).sorted().joined(separator: ",")))"
    }
    return tables.sorted().joined(separator: ",")
  }
}

/// The name of a table or column, as the schema spells it, compared ignoring case.
struct RegionName: Hashable, Sendable {
  let name: String
  /// The name in lower case.
  let folded: String

  init(_ name: String) {
    self.name = name
    folded = name.lowercased()
  }

  static func == (left: RegionName, right: RegionName) -> Bool { left.folded == right.folded }

  func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

/// The tables and columns that statements change.
struct DatabaseChanges: Equatable, Sendable {
  /// The tables that rows are inserted into or deleted from, in lower case.
  private(set) var rows: Set<String> = []
  /// The columns that are updated, by table, all names in lower case.
  private(set) var columns: [String: Set<String>] = [:]
  /// Whether anything may have changed.
  private(set) var isUnknown = false

  /// Changes that may affect anything.
  static var unknown: DatabaseChanges {
    var changes = DatabaseChanges()
    changes.isUnknown = true
    return changes
  }

  /// Creates changes that affect nothing.
  init() {}

  /// Creates changes of rows of a region.
  init(in region: DatabaseRegion) {
    rows = Set(region.columns.keys.map(\.folded))
    isUnknown = region.isFullDatabase
  }

  var isEmpty: Bool { !isUnknown && rows.isEmpty && columns.isEmpty }

  mutating func insertRows(of table: String) {
    rows.insert(table.lowercased())
  }

  mutating func insert(column: String, of table: String) {
    columns[table.lowercased(), default: []].insert(column.lowercased())
  }

  mutating func formUnion(_ other: DatabaseChanges) {
    rows.formUnion(other.rows)
    columns.merge(other.columns) { $0.union($1) }
    isUnknown = isUnknown || other.isUnknown
  }
}
