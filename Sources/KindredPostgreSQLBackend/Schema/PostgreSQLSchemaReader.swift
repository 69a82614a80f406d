import KindredBackend
import KindredModel
import KindredPostgreSQL
import KindredSQLSyntax

/// Reads the schema of a database from PostgreSQL's catalogs, in one round trip.
///
/// Tables and foreign keys that are broken are omitted with a warning, so that the rest of the database can be
/// served.
public struct PostgreSQLSchemaReader {
  private let schemas: [String]
  private let hasShards: Bool
  private let run: ([Query]) throws -> [QueryResult]

  /// Creates a reader of schemas.
  ///
  /// - Parameters:
  ///   - schemas: The names of the schemas; if empty, those of the search path.
  ///   - hasShards: Whether the database can distribute tables over shards.
  ///   - run: Runs statements in one round trip.
  /// - Throws: The error that `run` throws.
  public init(
    schemas: [String], hasShards: Bool = false, run: @escaping ([Query]) throws -> [QueryResult]
  ) throws {
    self.run = run
    self.hasShards = hasShards
    if schemas.isEmpty {
      self.schemas = try run([Query("SELECT unnest(current_schemas(false))")]).flatMap(\.texts)
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

  /// Returns the served tables whose statistics are missing or stale.
  ///
  /// - Throws: `PostgreSQLError`.
  func plannerStatistics() throws -> PlannerStatistics {
    let rows = try run([Query(SchemaQueries.statistics, parameters)])[0]
    var statistics = PlannerStatistics()
    for row in 0..<rows.rowCount {
      let name = rows.text(row, 0) ?? ""
      if rows.isTrue(row, 1) { statistics.missing.append(name) } else { statistics.stale.append(name) }
    }
    return statistics
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
        + [
          Query(SchemaQueries.labels), Query(SchemaQueries.roleSettings),
        ] + TimeQueries.all + [Query(SearchQueries.vectors), Query(SearchQueries.configurations)]
        + (hasShards ? [Query(SchemaQueries.distributions)] : []))
    guard results.count >= 12 else { return Schema(tables: []) }
    var warnings: [String] = []
    var drafts = self.drafts(results[0], &warnings)
    let places = Dictionary(
      drafts.indices.map { (drafts[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    readColumns(results[1], TypeParts(results[4], labels(results[5])), into: &drafts, places)
    readSearches(results[10], into: &drafts, places)
    markComputedColumns(in: &drafts, places)
    readIndexes(results[2], into: &drafts, places)
    warnings += drafts.filter(\.isServed).compactMap(\.choice)
    let views = PlainViews(drafts, places)
    warnings += views.choices
    warnings += readForeignKeys(results[3], into: &drafts, places, views)
    warnings += drafts.filter { $0.isServed && $0.columns.isEmpty }.map {
      "the table \($0.name) is not served: it has no columns"
    }
    let time = TimeDependence(results[7...9])
    for place in drafts.indices { drafts[place].isTimeless = time.isTimeless(relation: drafts[place].id) }
    warnings += refusedSettings(results[6])
    if hasShards { readDistributions(results[12], into: &drafts, places) }
    let tables = drafts.indices.filter { drafts[$0].isServed && !drafts[$0].columns.isEmpty }
      .map { views.table($0, of: drafts) }
    var schema = Schema(tables: tables, warnings: warnings)
    schema.searchConfigurations = results[11].texts
    return schema
  }

  /// Returns the names of the columns that the current role may not select, by the names of their tables.
  func withheldColumns() throws -> [ExactName: NameSet] {
    let rows = try run([Query(SchemaQueries.withheldColumns, parameters)])[0]
    var columns: [ExactName: NameSet] = [:]
    for row in 0..<rows.rowCount {
      if let table = rows.text(row, 0), let column = rows.text(row, 1) {
        columns[ExactName(table), default: []].insert(column)
      }
    }
    return columns
  }

  private func drafts(_ rows: QueryResult, _ warnings: inout [String]) -> [Draft] {
    var drafts: [Draft] = []
    for row in 0..<rows.rowCount {
      let (name, relation) = (rows.text(row, 1) ?? "", rows.text(row, 5) ?? "")
      guard !BookkeepingName.all.contains(relation) else { continue }
      let draft = Draft(
        id: rows.integer(row, 0) ?? 0, name: name, kind: rows.text(row, 2) ?? "",
        updates: rows.integer(row, 3) ?? 0, schema: rows.text(row, 4), relation: relation,
        isServed: rows.isTrue(row, 6), writesThrough: rows.isTrue(row, 7),
        sharesRows: rows.isTrue(row, 8), comment: rows.text(row, 9),
        targets: rows.text(row, 10).map(ViewTargets.init), hasTriggers: rows.isTrue(row, 11),
        shown: rows.text(row, 12).map(ViewTargets.init))
      drafts.append(draft)
      if draft.isServed, name != relation {
        warnings.append(
          "the table \(name) is served with its schema in its name, because an earlier schema has a table \(relation)"
        )
      }
    }
    return drafts
  }

  /// Returns a warning for each setting of a role that only a superuser may make.
  private func refusedSettings(_ rows: QueryResult) -> [String] {
    (0..<rows.rowCount).filter { !rows.isTrue($0, 3) && rows.isTrue($0, 5) }.map { row in
      "the setting \(rows.text(row, 1) ?? "") of the role \(rows.text(row, 0) ?? "") is ignored: only a superuser may make it"
    }
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
    _ rows: QueryResult, _ types: TypeParts, into drafts: inout [Draft], _ places: [Int64: Int]
  ) {
    for row in 0..<rows.rowCount {
      guard let place = rows.integer(row, 0).flatMap({ places[$0] }) else { continue }
      let type = rows.text(row, 2) ?? ""
      let document = rows.text(row, 18).map {
        DocumentFunctions(reading: $0, writing: rows.text(row, 19), areOfElements: rows.isTrue(row, 20))
      }
      // What is a document to clients has no fields for them.
      let isDocument = document?.areOfElements == false
      let isComposite = rows.isTrue(row, 7) && !isDocument
      // The default, or what the column is generated from.
      let (expression, isComputed) = (rows.text(row, 6).map { SQL(trusted: $0) }, rows.isTrue(row, 15))
      var column = Column(
        name: rows.text(row, 1) ?? "", declaredType: isComposite ? Column.compositePrefix + type : type,
        affinity: ColumnKind(typeName: type).affinity,
        collation: rows.text(row, 8) ?? ColumnKind.defaultCollation,
        isNullable: !rows.isTrue(row, 3), isGenerated: rows.isTrue(row, 4), hasDefault: rows.isTrue(row, 5),
        defaultValue: isComputed ? nil : expression,
        isComposed: isComposite || type.hasSuffix("[]") && !isDocument)
      column.generation = isComputed ? expression : nil
      column.isStored = rows.isTrue(row, 17)
      column.comparesBytes = rows.isTrue(row, 9)
      column.isIdentity = rows.isTrue(row, 4) && !isComputed && drafts[place].kind != "v"
      column.keepsScale = ColumnKind(typeName: type) == .numeric
      column.integerBits = ColumnKind.integerBits(typeName: type)
      column.namesInfinities = column.affinity == .real || column.keepsScale
      column.comment = rows.text(row, 13)
      column.document = document
      if document == nil {
        column.parts = rows.integer(row, 10).flatMap { types.composite($0) }
        column.labels = rows.integer(row, 11).flatMap { types.labels[$0] } ?? []
        // PostgreSQL doesn't check how many dimensions an array has.
        if rows.integer(row, 22) ?? 0 < 2 {
          column.structure = rows.integer(row, 10).flatMap { types.structure($0) }
        }
      }
      if rows.isTrue(row, 21) { column.comparedType = type }
      if type == "tsvector" {
        drafts[place].configurations[column.name] = rows.text(row, 14)?.replacing("''", with: "'")
        drafts[place].indexed[column.name] = rows.text(row, 16)?.split(separator: " ").compactMap {
          Int64($0)
        }
      }
      drafts[place].columns.append(column)
      drafts[place].numbers.append(rows.integer(row, 12) ?? 0)
    }
  }

  /// Reads by which configurations the words of vectors are found that no expression generates.
  private func readSearches(_ rows: QueryResult, into drafts: inout [Draft], _ places: [Int64: Int]) {
    for row in 0..<rows.rowCount {
      guard let place = rows.integer(row, 0).flatMap({ places[$0] }), let vector = rows.text(row, 1),
        drafts[place].configurations[vector] == nil
      else { continue }
      let ofTrigger =
        rows.text(row, 2) ?? rows.text(row, 3).flatMap { VectorTrigger($0).configuration(of: vector) }
      drafts[place].configurations[vector] = ofTrigger ?? rows.text(row, 4)
    }
  }

  /// Marks the columns of views that don't just show a stored column.
  private func markComputedColumns(in drafts: inout [Draft], _ places: [Int64: Int]) {
    func isStored(_ place: Int, _ column: Int, _ drafts: [Draft]) -> Bool {
      var (place, column) = (place, column)
      // Views may be circular, which PostgreSQL refuses only when they are read.
      for _ in drafts.indices {
        guard drafts[place].kind == "v" else { return drafts[place].columns[column].isStored }
        let shown = drafts[place].shown?.columns ?? []
        guard shown.count == drafts[place].columns.count, let origin = shown[column] else { return false }
        // A column of a table that isn't read here, such as one of the catalog, is stored.
        guard let read = places[origin.relation],
          let next = drafts[read].numbers.firstIndex(of: origin.column)
        else { return true }
        (place, column) = (read, next)
      }
      return false
    }
    for place in drafts.indices where drafts[place].kind == "v" {
      for column in drafts[place].columns.indices {
        drafts[place].columns[column].isStored = isStored(place, column, drafts)
      }
    }
  }

  private func readDistributions(
    _ rows: QueryResult, into drafts: inout [Draft], _ places: [Int64: Int]
  ) {
    for row in 0..<rows.rowCount {
      guard let place = rows.integer(row, 0).flatMap({ places[$0] }) else { continue }
      drafts[place].distribution = Distribution(
        column: rows.text(row, 1), colocation: rows.integer(row, 2) ?? 0)
    }
  }

  private func readIndexes(_ rows: QueryResult, into drafts: inout [Draft], _ places: [Int64: Int]) {
    for group in rows.groups(by: 1) {
      let row = group.lowerBound
      guard let place = rows.integer(row, 0).flatMap({ places[$0] }) else { continue }
      let orders = group.compactMap { rows.integer($0, 6).map(Index.Order.init(indexOption:)) }
      let columns = group.map { rows.text($0, 4) }
      let order = orders.count == group.count ? orders : nil
      if let condition = rows.text(row, 7) {
        drafts[place].addPartialIndex(columns, order, where: condition)
        continue
      }
      drafts[place].add(
        Index(columns: columns, isUnique: rows.isTrue(row, 3), orders: order),
        named: rows.text(row, 5) ?? "", isPrimary: rows.isTrue(row, 2))
    }
    for place in drafts.indices { drafts[place].chooseKey() }
  }

  /// Reads the foreign keys, and returns a warning for each that is omitted.
  private func readForeignKeys(
    _ rows: QueryResult, into drafts: inout [Draft], _ places: [Int64: Int], _ views: PlainViews
  ) -> [String] {
    var warnings: [String] = []
    for group in rows.groups(by: 0) {
      let row = group.lowerBound
      guard let place = rows.integer(row, 1).flatMap({ places[$0] }) else { continue }
      let otherColumns = group.map { rows.text($0, 4) ?? "" }
      guard
        let destination = rows.integer(row, 2).flatMap({ places[$0] })
          .flatMap({ views.destination($0, otherColumns, in: drafts) })
      else {
        let columns = group.map { rows.text($0, 3) ?? "" }
        drafts[place].unservedReferences.append(columns)
        if drafts[place].isServed {
          warnings.append(
            "a foreign key of \(drafts[place].name) is ignored: the table that it refers to isn't served; once access is configured, clients can't write \(columns.joined(separator: ", "))"
          )
        }
        continue
      }
      let key = ForeignKey(
        columns: group.map { rows.text($0, 3) ?? "" }, destination: destination.name,
        destinationColumns: destination.columns, isDeferred: rows.isTrue(row, 5),
        hasPeriod: rows.isTrue(row, 6))
      guard key.hasPeriod else {
        drafts[place].foreignKeys.append(key)
        continue
      }
      drafts[place].temporalForeignKeys.append(key)
    }
    return warnings
  }
}
