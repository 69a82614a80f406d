import KindredModel
import KindredPlanning
import KindredPostgreSQL
import KindredSQLSyntax

extension PostgreSQLSchemaSource {
  /// Returns the tables and views that a view or a common table expression reads, directly or through views; nil if a
  /// function of the database's own is called, which may read any.
  func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet? {
    switch table.kind {
    case .table, .virtual, .ofRequest: return []
    case .view:
      return try tables(readBy: [table.qualifiedName])
    case .commonTableExpression:
      guard let names = try tables(plannedFor: table, definitions) else { return nil }
      return try tables(readBy: names)
    }
  }

  /// - Parameter relations: The qualified and quoted names of relations, which are part of the result.
  private func tables(readBy relations: [String]) throws -> NameSet? {
    let names = ArrayText(relations.map { Array($0.utf8) as [UInt8]? }).bytes
    let rows = try run([Query(Self.dependencies, [names])])[0]
    var tables = NameSet()
    for row in 0..<rows.rowCount {
      guard let name = rows.text(row, 0) else { return nil }
      tables.insert(name)
    }
    return tables
  }

  /// The relations that relations depend on, and those whose part they are, each without and with its schema; NULL for a function that isn't PostgreSQL's.
  ///
  /// An immutable function of an extension reads nothing.
  private static let dependencies = """
    WITH RECURSIVE read(class, id) AS (
      SELECT 'pg_class'::regclass::oid, to_regclass(name)::oid FROM unnest($1::text[]) AS name
      UNION
      SELECT found.class, found.id FROM read CROSS JOIN LATERAL (
        SELECT d.refclassid AS class, d.refobjid AS id FROM pg_rewrite r
          JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
          WHERE read.class = 'pg_class'::regclass AND r.ev_class = read.id
        UNION ALL
        SELECT 'pg_class'::regclass, inhparent FROM pg_inherits
          WHERE read.class = 'pg_class'::regclass AND inhrelid = read.id
        UNION ALL
        SELECT 'pg_proc'::regclass, oprcode FROM pg_operator
          WHERE read.class = 'pg_operator'::regclass AND oid = read.id
      ) AS found)
    SELECT DISTINCT unnest(ARRAY[c.relname::text, n.nspname || '.' || c.relname])
      FROM read JOIN pg_class c ON c.oid = read.id JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE read.class = 'pg_class'::regclass
    UNION ALL
    SELECT NULL FROM read JOIN pg_proc f ON f.oid = read.id JOIN pg_namespace n ON n.oid = f.pronamespace
      WHERE read.class = 'pg_proc'::regclass AND n.nspname <> 'pg_catalog'
        AND NOT (f.provolatile = 'i' AND EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.deptype = 'e'))
    """

  /// Returns the qualified names of the relations in the plan of a common table expression, in which views are replaced
  /// by what they read; nil if it can't be planned or calls a function of the database's own.
  private func tables(plannedFor table: Table, _ definitions: [Table]) throws -> [String]? {
    let expressions = CommonTableExpressions(
      definitions.compactMap { definition in
        guard case .commonTableExpression(let sql) = definition.kind else { return nil }
        return (definition.name, "(\(sql))")
      })
    let with = expressions.clause(for: [table.name])
    let undo = Query("ROLLBACK TO SAVEPOINT kindred_dependencies", isReusable: false)
    _ = try run([
      Query("SAVEPOINT kindred_dependencies", isReusable: false, needsTransactionBlock: true)
    ])
    do {
      let plan = try run([
        Query(
          "EXPLAIN (VERBOSE, FORMAT JSON, COSTS OFF) \(with)SELECT * FROM \(SQL.quoted(table.name))",
          isReusable: false)
      ])[0]
      let text = plan.texts.joined(separator: "\n")
      let rows = try run([
        undo,
        Query(Self.planned, [Array(text.utf8), Array(Self.text(of: table, definitions).utf8)]),
      ])[1]
      guard rows.text(0, 1) == "f" else { return nil }
      return rows.texts
    } catch let error as PostgreSQLError where !error.endsConnection {
      _ = try run([undo])
      return nil
    }
  }

  /// Returns the SQL of a common table expression, and of those that it may read since it has their names.
  private static func text(of table: Table, _ definitions: [Table]) -> String {
    var text = ""
    var (found, rest) = ([table], definitions.filter { $0.name != table.name })
    while let next = found.popLast() {
      guard case .commonTableExpression(let sql) = next.kind else { continue }
      text += sql + "\n"
      let read = { (other: Table) in sql.lowercased().contains(other.name.lowercased()) }
      found += rest.filter(read)
      rest.removeAll(where: read)
    }
    return text
  }

  /// Returns the name of a function of the database's own that a text calls and that is VOLATILE; nil if there is none.
  func volatileFunction(calledBy sql: String) throws -> String? {
    let rows = try run([Query(Self.volatileFunctions, [Array(sql.utf8)])])[0]
    return rows.rowCount == 0 ? nil : rows.text(0, 0)
  }

  /// The names in a text, `$N`, that a parenthesis follows.
  private static func calls(inParameter number: Int) -> String {
    """
    SELECT CASE WHEN name[1] LIKE '"%' THEN replace(trim('"' FROM name[1]), '""', '"') ELSE lower(name[1]) END
          FROM regexp_matches($\(number), '("(?:[^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)\\s*(?:\\(|--|/\\*)', 'g') AS name
    """
  }

  /// The functions of the database's own that a text calls and that are VOLATILE.
  private static let volatileFunctions = """
    SELECT f.proname FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND f.provolatile = 'v'
      AND f.proname IN (\(calls(inParameter: 1)))
    ORDER BY 1 LIMIT 1
    """

  /// The relations of a plan, and whether the text of its statement calls a function of the database's own.
  ///
  /// A function may be inlined, and then isn't in the plan. Where a text or a column only looks like a call, the answer
  /// errs on the safe side.
  private static let planned = """
    SELECT format('%I.%I', node->>'Schema', node->>'Relation Name'), EXISTS (
      SELECT FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
      WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND f.proname IN (\(calls(inParameter: 2)))
        AND NOT (f.provolatile = 'i' AND EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.deptype = 'e')))
    FROM (SELECT) AS once
    LEFT JOIN jsonb_path_query($1::jsonb, 'strict $.**') AS node
      ON jsonb_typeof(node) = 'object' AND node ? 'Relation Name'
    """
}
