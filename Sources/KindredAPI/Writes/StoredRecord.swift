import KindredAssociations
import KindredSQLSyntax

/// Columns of a record that is in the database.
struct StoredRecord {
  private let names: [String]
  private let row: [SQLValue]

  init(_ names: [String], _ row: [SQLValue]) {
    self.names = names
    self.row = row
  }

  /// The values of columns that were read.
  func values(of columns: [String]) -> [SQLValue] {
    columns.map { name in names.firstIndex(of: name).map { row[$0] } ?? .null }
  }

  /// The record with these columns of another one.
  func with(_ columns: [String], of other: StoredRecord) -> StoredRecord {
    guard !columns.isEmpty else { return self }
    let kept = names.indices.filter { !columns.contains(names[$0]) }
    return StoredRecord(
      kept.map { names[$0] } + columns, kept.map { row[$0] } + other.values(of: columns))
  }

  /// The record as a part of a path.
  func segment(in table: Table, _ literals: inout Literals) -> RequestPath.Segment {
    let columns = table.locatorColumns
    return .record(
      zip(columns, values(of: columns)).map {
        RequestPath.KeyColumn(name: $0, literals: [literals.number(of: $1)])
      })
  }

  /// Whether the record's own URL finds it: no part of its key is NULL.
  func hasKey(of table: Table) -> Bool {
    table.primaryKey.allSatisfy { position in
      let name = table.columns[position].name
      return names.firstIndex(of: name).map { row[$0] != .null } ?? false
    }
  }

  /// The path of the record's own URL; nil where a part of its key is NULL, and nothing finds it.
  func path(in resource: Resource) -> String? {
    let columns = resource.table.primaryKey.map { resource.table.columns[$0].name }
    let texts = values(of: columns).compactMap(\.keyText)
    guard texts.count == columns.count else { return nil }
    let key = texts.map(URLCoding.encodeSegment).joined(separator: ",")
    // Clients remove dot segments from URLs, and an empty one is none.
    let isSegment = !["", ".", ".."].contains(key)
    return "/\(URLCoding.encodeSegment(resource.name))/"
      + (isSegment ? key : "\(URLCoding.encodeSegment(columns[0]))=\(key)")
  }
}

extension Table {
  /// The columns by which a record is found again and called, each once.
  var identifyingColumns: [String] {
    let key = primaryKey.map { columns[$0].name }
    return locatorColumns + key.filter { !locatorColumns.contains($0) }
  }
}
