import KindredAssociations
import KindredPostgreSQL
import KindredSQLSyntax

/// Reads the schema of a database from PostgreSQL's catalogs, in one round trip.
///
/// Tables and foreign keys that are broken are omitted with a warning, so that the rest of the database can be
/// served.
public struct PostgreSQLSchemaReader {
  private let schemas: [String]
  private let run: ([Query]) throws -> [QueryResult]

  /// Creates a reader of schemas.
  ///
  /// - Parameters:
  ///   - schemas: The names of the schemas; if empty, those of the search path.
  ///   - run: Runs statements in one round trip.
  /// - Throws: The error that `run` throws.
  public init(schemas: [String], run: @escaping ([Query]) throws -> [QueryResult]) throws {
    self.run = run
    if schemas.isEmpty {
      let path = try run([Query("SELECT unnest(current_schemas(false))")])
      self.schemas = path.flatMap { rows in (0..<rows.rowCount).compactMap { rows.text($0, 0) } }
    } else {
      self.schemas = schemas
    }
  }

  /// Creates a reader of schemas that uses a connection.
  ///
  /// - Throws: `PostgreSQLError`.
  public init(_ connection: PostgreSQLConnection, schemas: [String] = []) throws {
    try self.init(schemas: schemas) { try connection.run($0) }
  }

  private var parameters: [[UInt8]?] { [ArrayText(schemas.map { Array($0.utf8) }).bytes] }

  /// Returns a text that changes whenever the schema may have changed.
  ///
  /// - Throws: `PostgreSQLError`.
  public func fingerprint() throws -> String {
    try run([Query(SchemaQueries.fingerprint, parameters)]).first?.text(0, 0) ?? ""
  }

  /// Returns the current schema, or that of the open transaction.
  ///
  /// - Throws: `PostgreSQLError`.
  public func schema() throws -> Schema {
    let results = try run(
      [
        SchemaQueries.tables, SchemaQueries.columns, SchemaQueries.indexes, SchemaQueries.foreignKeys,
        SchemaQueries.typeParts,
      ].map { Query($0, parameters) }
        + [Query(SchemaQueries.volatility), Query(SchemaQueries.functions), Query(SchemaQueries.labels)])
    guard results.count == 8 else { return Schema(tables: []) }
    var warnings: [String] = []
    var drafts = self.drafts(results[0], &warnings)
    let places = Dictionary(
      drafts.indices.map { (drafts[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    readColumns(results[1], TypeParts(results[4]), labels(results[7]), into: &drafts, places)
    readIndexes(results[2], into: &drafts, places)
    warnings += readForeignKeys(results[3], into: &drafts, places)
    warnings += drafts.filter(\.columns.isEmpty).map {
      "the table \($0.name) is not served: it has no columns"
    }
    drafts.removeAll(where: \.columns.isEmpty)
    let volatile = VolatileRelations(results[5], functions: results[6])
    for place in drafts.indices { drafts[place].isTimeless = !volatile.contains(drafts[place].id) }
    return Schema(tables: drafts.map(\.table), warnings: warnings, dialect: .postgreSQL)
  }

  /// Returns the names of the columns that the current role may not select, by the names of their tables.
  func withheldColumns() throws -> [String: Set<String>] {
    let rows = try run([Query(SchemaQueries.withheldColumns, parameters)])[0]
    var columns: [String: Set<String>] = [:]
    for row in 0..<rows.rowCount {
      if let table = rows.text(row, 0), let column = rows.text(row, 1) {
        columns[table, default: []].insert(column)
      }
    }
    return columns
  }

  private func drafts(_ rows: QueryResult, _ warnings: inout [String]) -> [Draft] {
    var names: Set<String> = []
    var drafts: [Draft] = []
    for row in 0..<rows.rowCount {
      let name = rows.text(row, 1) ?? ""
      guard name != BookkeepingName.answers else { continue }
      guard names.insert(name).inserted else {
        warnings.append("the table \(name) is not served: an earlier schema has one of the same name")
        continue
      }
      drafts.append(
        Draft(
          id: rows.integer(row, 0) ?? 0, name: name, kind: rows.text(row, 2) ?? "",
          updates: rows.integer(row, 3) ?? 0, schema: rows.text(row, 4)))
    }
    return drafts
  }

  /// Returns the labels of enumerations, by the OIDs of these.
  private func labels(_ rows: QueryResult) -> [Int64: [String]] {
    var labels: [Int64: [String]] = [:]
    for row in 0..<rows.rowCount {
      guard let type = rows.integer(row, 0), let label = rows.text(row, 1) else { continue }
      labels[type, default: []].append(label)
    }
    return labels
  }

  private func readColumns(
    _ rows: QueryResult, _ types: TypeParts, _ labels: [Int64: [String]], into drafts: inout [Draft],
    _ places: [Int64: Int]
  ) {
    for row in 0..<rows.rowCount {
      guard let place = rows.integer(row, 0).flatMap({ places[$0] }) else { continue }
      let type = rows.text(row, 2) ?? ""
      let isComposite = rows.isTrue(row, 7)
      var column = Column(
        name: rows.text(row, 1) ?? "", declaredType: isComposite ? Column.compositePrefix + type : type,
        affinity: ColumnKind(typeName: type).affinity,
        collation: rows.text(row, 8) ?? ColumnKind.defaultCollation,
        isNullable: !rows.isTrue(row, 3), isGenerated: rows.isTrue(row, 4), hasDefault: rows.isTrue(row, 5),
        defaultValue: rows.text(row, 6).map { SQL(trusted: $0) },
        isComposed: isComposite || type.hasSuffix("[]"))
      column.comparesBytes = rows.isTrue(row, 9)
      column.keepsScale = ColumnKind(typeName: type) == .numeric
      column.namesInfinities = column.affinity == .real || column.keepsScale
      column.parts = rows.integer(row, 10).flatMap { types.composite($0) }
      column.labels = rows.integer(row, 11).flatMap { labels[$0] } ?? []
      drafts[place].columns.append(column)
    }
  }

  private func readIndexes(_ rows: QueryResult, into drafts: inout [Draft], _ places: [Int64: Int]) {
    var row = 0
    while row < rows.rowCount {
      let (table, index) = (rows.integer(row, 0), rows.integer(row, 1))
      let (isPrimary, isUnique) = (rows.isTrue(row, 2), rows.isTrue(row, 3))
      var columns: [String?] = []
      while row < rows.rowCount, rows.integer(row, 1) == index {
        columns.append(rows.text(row, 4))
        row += 1
      }
      guard let place = table.flatMap({ places[$0] }) else { continue }
      drafts[place].add(columns, isPrimary: isPrimary, isUnique: isUnique)
    }
  }

  /// Reads the foreign keys, and returns a warning for each that is omitted.
  private func readForeignKeys(
    _ rows: QueryResult, into drafts: inout [Draft], _ places: [Int64: Int]
  ) -> [String] {
    var warnings: [String] = []
    var row = 0
    while row < rows.rowCount {
      let (key, table, other) = (rows.integer(row, 0), rows.integer(row, 1), rows.integer(row, 2))
      var (columns, otherColumns): ([String], [String]) = ([], [])
      while row < rows.rowCount, rows.integer(row, 0) == key {
        columns.append(rows.text(row, 3) ?? "")
        otherColumns.append(rows.text(row, 4) ?? "")
        row += 1
      }
      guard let place = table.flatMap({ places[$0] }) else { continue }
      guard let destination = other.flatMap({ places[$0] }) else {
        warnings.append(
          "a foreign key of \(drafts[place].name) is ignored: the table that it refers to isn't served")
        continue
      }
      drafts[place].foreignKeys.append(
        ForeignKey(
          columns: columns, destination: drafts[destination].name, destinationColumns: otherColumns))
    }
    return warnings
  }
}

extension PostgreSQLSchemaReader {
  /// A table while it is being read.
  private struct Draft {
    /// The OID of the table.
    let id: Int64
    let name: String
    /// The `relkind` of the table: `r`, `p`, `v`, `m` or `f`.
    let kind: String
    /// The result of `pg_relation_is_updatable`.
    let updates: Int64
    let schema: String?
    var columns: [Column] = []
    var primaryKey: [Int] = []
    var uniqueKeys: [[Int]] = []
    var indexes: [Index] = []
    var foreignKeys: [ForeignKey] = []
    /// Whether its rows depend on the database alone.
    var isTimeless = true

    mutating func add(_ names: [String?], isPrimary: Bool, isUnique: Bool) {
      indexes.append(Index(columns: names))
      let key = names.compactMap { name in columns.firstIndex { $0.name == name } }
      guard isUnique, key.count == names.count else { return }
      uniqueKeys.append(key)
      // A unique index serves as the key of a materialized view, whose columns are never NOT NULL.
      if isPrimary || kind == "m" && primaryKey.isEmpty { primaryKey = key }
    }

    var table: Table {
      // Without a key, records can be read and changed like those of a view.
      let isTable = ["r", "p", "f"].contains(kind) && !primaryKey.isEmpty
      var table = Table(
        name: name, kind: isTable ? .table : .view, columns: columns, primaryKey: primaryKey,
        uniqueKeys: uniqueKeys, indexes: indexes, foreignKeys: foreignKeys, fullText: fullText,
        insteadOf: isTable ? [] : changes)
      table.schema = schema
      table.isCaseSensitive = true
      table.isTimeless = isTimeless
      table.isKeyPartial = kind == "m"
      return table
    }

    /// The full-text index of the only `tsvector` column; nil if there is none, or several.
    private var fullText: FullText? {
      let vectors = columns.filter { $0.declaredType == "tsvector" }
      guard vectors.count == 1 else { return nil }
      return FullText(vector: vectors[0].name, of: name)
    }

    /// The changes that are allowed: bits by the numbers of `CMD_UPDATE`, `CMD_INSERT` and `CMD_DELETE`.
    private var changes: Table.Changes {
      var changes: Table.Changes = []
      if updates & 1 << 2 != 0 { changes.insert(.update) }
      if updates & 1 << 3 != 0 { changes.insert(.insert) }
      if updates & 1 << 4 != 0 { changes.insert(.delete) }
      return changes
    }
  }
}
