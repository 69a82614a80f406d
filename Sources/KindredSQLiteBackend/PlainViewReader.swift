import CKindredSQLite
import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// Determines which views are plain, and what they show.
///
/// The form of the definition tells the table and the columns. SQLite itself tells whether the rows are those of the
/// table: then it reads the table in place of the view, which it can't if the view has an aggregate or a window function.
struct PlainViewReader {
  let connection: Connection
  /// `main`, `temp`, or the name of an attached database.
  let database: String

  /// A table, and its columns that a view shows.
  private typealias Source = (table: Table, columns: [String?])

  /// Returns the tables, with those of plain views replaced.
  ///
  /// - Parameter definitions: The definitions of the views, by their names.
  func read(_ tables: [Table], _ definitions: [String: String]) throws -> [Table] {
    let byName = Dictionary(
      tables.map { ($0.name.foldingASCIICase, $0) }, uniquingKeysWith: { first, _ in first })
    var sources: [String: Source?] = [:]
    return try tables.map { table in
      guard table.kind == .view,
        let source = try source(of: table, in: byName, definitions, &sources)
      else { return table }
      return table.showing(source.table, in: source.columns)
    }
  }

  /// Returns the table that a view shows; nil if the view isn't plain.
  private func source(
    of view: Table, in tables: [String: Table], _ definitions: [String: String],
    _ sources: inout [String: Source?]
  ) throws -> Source? {
    if let known = sources[view.name] { return known }
    // Views can't be circular, as SQLite then can't read their columns.
    sources[view.name] = .some(nil)
    guard let definition = definitions[view.name].flatMap(ViewDefinition.init),
      let read = tables[definition.table.foldingASCIICase]
    else { return nil }
    var source: Source = (read, read.columns.map(\.name))
    if read.kind == .view {
      guard let inner = try self.source(of: read, in: tables, definitions, &sources) else { return nil }
      source = inner
    }
    let columns = definition.items.flatMap { item -> [String?] in
      switch item {
      case .all: read.starPlaces.map { source.columns[$0] }
      case .column(let name): [read.place(of: name).flatMap { source.columns[$0] }]
      case .expression: [nil]
      }
    }
    guard columns.count == view.columns.count, columns.contains(where: { $0 != nil }),
      try isReadInPlace(view)
    else { return nil }
    source.columns = columns
    sources[view.name] = source
    return source
  }

  /// Whether SQLite reads the tables of a view in place of the view
  /// (<https://www.sqlite.org/optoverview.html#subquery_flattening>).
  private func isReadInPlace(_ view: Table) throws -> Bool {
    let alias = "kindred:view"
    let sql: SQL =
      "EXPLAIN QUERY PLAN SELECT * FROM \(identifier: database).\(identifier: view.name) AS \(identifier: alias)"
    do {
      return try connection.rows(sql.rendered().text) { $0.text(3) ?? "" }.allSatisfy { !$0.contains(alias) }
    } catch let error as DatabaseError where [SQLITE_ERROR, SQLITE_CORRUPT].contains(error.code) {
      // A column of the view can't be read.
      return false
    }
  }
}

extension Table {
  /// The positions of the columns that `*` selects: all but a `rowid` that serves as the key.
  fileprivate var starPlaces: [Int] {
    columns.indices.filter { rowIDName == nil || columns[$0].name != rowIDName }
  }

  /// Returns the position of the column that a name means, which may be a name of the rowid.
  fileprivate func place(of name: String) -> Int? {
    if let place = columns.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) { return place }
    guard rowIDName != nil, ["rowid", "_rowid_", "oid"].contains(where: name.equalsIgnoringCase) else {
      return nil
    }
    return rowIDColumn.flatMap { columns.firstIndex(named: $0) }
  }
}
