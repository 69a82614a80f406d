import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

/// The values of some columns of a stored record.
struct StoredRecord {
  private let names: [String]
  private let row: [SQLValue]
  /// Where the values come from.
  var source = Source.database

  /// Where the values of a record come from.
  enum Source {
    /// What the database has stored.
    case database
    /// The content, as the client may add the record but not read it.
    case content
    /// The content, as the database returns nothing of what it stores.
    case contentOnly
  }

  /// Whether the values are read back from the database.
  var isReadBack: Bool { source == .database }

  init(_ names: [String], _ row: [SQLValue]) {
    self.names = names
    self.row = row
  }

  /// Returns the values of columns; NULL for columns that weren't read.
  func values(of columns: [String]) -> [SQLValue] {
    columns.map { name in names.firstIndex(ofExactly: name).map { row[$0] } ?? .null }
  }

  /// Returns the record with these columns taken from another one.
  func with(_ columns: [String], of other: StoredRecord) -> StoredRecord {
    guard !columns.isEmpty else { return self }
    let kept = names.indices.filter { !columns.containsExactly(names[$0]) }
    var record = StoredRecord(
      kept.map { names[$0] } + columns, kept.map { row[$0] } + other.values(of: columns))
    record.source = source
    return record
  }

  /// Returns the record as a segment of a path.
  func segment(in table: Table, _ literals: inout Literals) -> RequestPath.Segment {
    let columns = table.locatorColumns
    return .record(
      zip(columns, values(of: columns)).map {
        RequestPath.KeyColumn(name: $0, literals: [literals.number(of: $1)])
      })
  }

  /// Returns whether the record has a URL: the table has a key, and no column of it is NULL.
  func hasKey(of resource: WrittenResource) -> Bool {
    !resource.keyColumns.isEmpty
      && resource.keyColumns.allSatisfy { name in
        names.firstIndex(ofExactly: name).map { row[$0] != .null } ?? false
      }
  }

  /// Returns whether the answer to a write can contain the record: it can be found again, or is completely known, or isn't
  /// for the client, which gets `null`.
  func isReturnable(of resource: WrittenResource) -> Bool {
    switch source {
    case .database:
      resource.isLocated ? hasKey(of: resource) : resource.returnedColumns.allSatisfy(names.containsExactly)
    case .content: true
    case .contentOnly: false
    }
  }

  /// Returns the path of the record, or nil if it has none, or one that would show a hidden key or lead to another record.
  func path(in resource: WrittenResource) -> String? {
    let columns = resource.addressNames
    guard let first = columns.first, hasKey(of: resource) else { return nil }
    let key = Array(zip(resource.addressColumns, values(of: columns)))
    guard key.allSatisfy({ $0.isNamed($1) }) else { return nil }
    let texts = key.compactMap { $0.keyText(of: $1) }
    let segment = texts.map(URLCoding.encodeSegment).joined(separator: ",")
    return resource.pathPrefix
      + (segment.canBeSegment ? segment : "\(URLCoding.encodeSegment(first))=\(segment)")
  }
}

extension Table {
  /// The columns that locate a record and those of its key, without duplicates.
  var identifyingColumns: [String] {
    let key = primaryKey.map { columns[$0].name }
    return locatorColumns + key.filter { !locatorColumns.containsExactly($0) }
  }
}

extension JoinTable {
  /// Returns the values of the columns of the link between two records; nil if these differ in a shared one.
  func values(of near: StoredRecord, _ far: StoredRecord) -> [SQLValue]? {
    values(
      near.values(of: self.near.originColumns), far.values(of: self.far.destinationColumns),
      where: { $0.isSameKey(as: $1) })
  }
}
