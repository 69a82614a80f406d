import KindredModel
import KindredPlanning
import KindredPostgreSQL
import KindredSQLSyntax

/// The schema as a connection sees it.
struct PostgreSQLSchemaSource: SchemaSource {
  let schemaVersion: Int64
  let schemas: [String]
  let dialect: Dialect
  /// Whether the database can distribute tables over shards.
  let hasShards: Bool
  /// Runs statements in one round trip.
  let run: ([Query]) throws -> [QueryResult]

  func schema() throws -> Schema {
    try PostgreSQLSchemaReader(schemas: schemas, hasShards: hasShards, run: run).schema()
  }

  func tables(of definitions: [CommonTableDefinition]) throws -> [Table] {
    var tables: [Table] = []
    let timeless = TimeDependence(try run(TimeQueries.all)[...]).timeless(
      definitions.map { (name: $0.name, sql: $0.sql) })
    for (index, definition) in definitions.enumerated() {
      do {
        let visible = definitions.enumerated().filter { $0.offset == index || $0.element.isReadable }
        let with = CommonTableExpressions(
          visible.map { ($0.element.name, "(\($0.element.sql.enclosable))") })
        var table = try table(of: definition, with.clause(for: [definition.name]))
        table.isTimeless = timeless[index]
        tables.append(table)
      } catch let error as PostgreSQLError where !error.endsConnection {
        throw CommonTableDefinition.Failure(index: index, message: error.message)
      }
    }
    return tables
  }

  func integers(_ sql: SQL) throws -> [Int64] {
    let rows = try run([Query(sql.rendered().text, isReusable: false)])[0]
    guard rows.rowCount > 0 else { return [] }
    return (0..<rows.columnCount).map { rows.integer(0, $0) ?? 0 }
  }

  /// Returns the table of a definition, whose columns are determined without reading a row.
  private func table(of definition: CommonTableDefinition, _ with: String) throws -> Table {
    // The savepoint keeps the transaction usable if the definition is invalid.
    let savepoint = Query(
      "SAVEPOINT kindred_definition", isReusable: false, needsTransactionBlock: true)
    let undo = Query("ROLLBACK TO SAVEPOINT kindred_definition", isReusable: false)
    do {
      let results = try run([
        savepoint,
        Query(
          "\(with)SELECT * FROM \(SQL.quoted(definition.name)) LIMIT 0", isReusable: false),
        undo,
      ])
      let rows = results[1]
      return Table(
        name: definition.name, kind: .commonTableExpression(sql: definition.sql.enclosable),
        columns: try columns(of: rows), primaryKey: [])
    } catch let error as PostgreSQLError where !error.endsConnection {
      _ = try run([undo])
      throw error
    }
  }

  /// Returns the columns of a result, with the names of their types.
  private func columns(of rows: QueryResult) throws -> [Column] {
    func list(_ values: [some CustomStringConvertible]) -> [UInt8] {
      ArrayText(values.map { Array($0.description.utf8) }).bytes
    }
    let columns = 0..<rows.columnCount
    let origins = columns.map(rows.origin)
    let names = try run([
      Query(
        """
        SELECT format_type(t.oid, NULL), t.typtype = 'c', EXISTS (
          SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          WHERE c.oid = o.origin AND c.relkind <> 'v' AND a.attnum = o.number AND a.attgenerated <> 'v')
        FROM unnest($1::oid[], $2::oid[], $3::int2[]) WITH ORDINALITY AS o(oid, origin, number, place)
        JOIN pg_type t USING (oid) ORDER BY place
        """,
        [list(columns.map(rows.type)), list(origins.map(\.table)), list(origins.map(\.column))])
    ])[0]
    return columns.map { column in
      let type = names.text(column, 0) ?? ""
      var made = Column(
        name: rows.name(of: column),
        declaredType: names.isTrue(column, 1) ? Column.compositePrefix + type : type,
        affinity: ColumnKind(typeName: type).affinity, collation: ColumnKind.defaultCollation)
      made.comparesBytes = true
      made.isStored = names.isTrue(column, 2)
      return made
    }
  }

  /// Returns the columns of statements that the server describes, and doesn't run.
  func columns(ofStatements statements: [String]) throws -> [[Column]?] {
    let savepoint = Query(
      "SAVEPOINT kindred_statement", isReusable: false, needsTransactionBlock: true)
    let undo = Query("ROLLBACK TO SAVEPOINT kindred_statement", isReusable: false)
    return try statements.enumerated().map { index, sql in
      do {
        let rows = try run([savepoint, Query(describing: sql), undo])[1]
        guard rows.columnCount > 0 else { return nil }
        // A function that returns nothing returns a row.
        let columns = try columns(of: rows)
        return columns.count == 1 && columns[0].declaredType == "void" ? nil : columns
      } catch let error as PostgreSQLError where !error.endsConnection {
        _ = try run([undo])
        throw CommonTableDefinition.Failure(index: index, message: error.message)
      }
    }
  }
}
