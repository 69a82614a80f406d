import KindredModel
import KindredPlanning
import KindredPostgreSQL
import KindredSQLSyntax

extension PostgreSQLSchemaSource {
  /// Returns the tables and views that a view, a query or a table that shares rows reads, directly or through views; nil if
  /// it calls what may read any table.
  func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet? {
    switch table.kind {
    case .virtual, .ofRequest: return []
    case .table, .view:
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

  /// The relations on which relations depend, each with its schema; NULL for a function that may read any.
  ///
  /// The rows of a relation are also those of its descendants by partitioning and INHERITS, and rows of the ancestors of
  /// all of these.
  private static let dependencies = """
    WITH RECURSIVE read(class, id, is_upward) AS (
      SELECT 'pg_class'::regclass::oid, to_regclass(name)::oid, false FROM unnest($1::text[]) AS name
      UNION
      SELECT found.class, found.id, found.is_upward FROM read CROSS JOIN LATERAL (
        SELECT d.refclassid AS class, d.refobjid AS id, false AS is_upward FROM pg_rewrite r
          JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
          WHERE read.class = 'pg_class'::regclass AND r.ev_class = read.id
        UNION ALL
        SELECT 'pg_class'::regclass, inhparent, true FROM pg_inherits
          WHERE read.class = 'pg_class'::regclass AND inhrelid = read.id
        UNION ALL
        SELECT 'pg_class'::regclass, inhrelid, false FROM pg_inherits
          WHERE read.class = 'pg_class'::regclass AND inhparent = read.id AND NOT read.is_upward
      ) AS found)
    SELECT DISTINCT n.nspname || '.' || c.relname
      FROM read JOIN pg_class c ON c.oid = read.id JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE read.class = 'pg_class'::regclass
    UNION ALL
    SELECT NULL FROM read JOIN (\(ownFunctions)) AS f ON f.oid = read.id WHERE read.class = 'pg_proc'::regclass
    UNION ALL
    SELECT NULL FROM read JOIN (\(ownOperators)) AS o ON o.oid = read.id WHERE read.class = 'pg_operator'::regclass
    UNION ALL
    SELECT NULL FROM read JOIN pg_class c ON c.oid = read.id AND c.relkind IN ('v', 'm')
      WHERE read.class = 'pg_class'::regclass AND pg_get_viewdef(c.oid) ~* '\(readersOfAny)'
    """

  /// What reads any table although it is PostgreSQL's, as a regular expression: functions that run SQL which they are
  /// given (<https://www.postgresql.org/docs/current/functions-xml.html#FUNCTIONS-XML-MAPPING>,
  /// <https://www.postgresql.org/docs/current/textsearch-features.html>), and statistics, which hold values of columns.
  ///
  /// PostgreSQL records no dependencies on what it brings itself.
  private static let readersOfAny =
    #"\m((query|table|schema|database|cursor)_to_xml(schema|_and_xmlschema)?|ts_stat|ts_rewrite)"?\s*(\(|--|/\*)|\mpg_(stats|statistic)"#

  /// The functions and aggregates of the database's own, which may read any table.
  ///
  /// An immutable function of an extension reads nothing.
  private static let ownFunctions = """
    SELECT f.oid, f.proname, f.pronargs, f.proargtypes FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
      WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT (f.provolatile = 'i' AND EXISTS (
        SELECT FROM pg_depend d
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.deptype = 'e'))
    """

  /// The operators that call such functions; those of extensions in C read nothing.
  private static let ownOperators = """
    SELECT o.oid, o.oprname FROM pg_operator o JOIN (\(ownFunctions)) AS f ON f.oid = o.oprcode
      JOIN pg_proc p ON p.oid = o.oprcode JOIN pg_language l ON l.oid = p.prolang
      WHERE NOT (l.lanname IN ('c', 'internal') AND p.provolatile <> 'v' AND EXISTS (
        SELECT FROM pg_depend d
        WHERE d.classid = 'pg_operator'::regclass AND d.objid = o.oid AND d.deptype = 'e'))
    """

  /// Returns the qualified names of the relations in the plan of a common table expression, in which views are replaced
  /// by what they read, and of the views that its text may name; nil if it can't be planned or calls what may read any
  /// table.
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

  /// Returns the SQL of a common table expression, and of the expressions that it may read since it contains their
  /// names.
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

  /// A name in a text, as an unquoted or a quoted identifier.
  private static let name = #""(?:[^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*"#

  /// The names in a text, `$N`, that something follows.
  private static func names(inParameter number: Int, followedBy end: String) -> String {
    """
    SELECT CASE WHEN name[1] LIKE '"%' THEN replace(trim('"' FROM name[1]), '""', '"') ELSE lower(name[1]) END
          FROM regexp_matches($\(number), '(\(name))\(end)', 'g') AS name
    """
  }

  /// The names in a text, `$N`, that a parenthesis follows.
  private static func calls(inParameter number: Int) -> String {
    names(inParameter: number, followedBy: #"\s*(?:\(|--|/\*)"#)
  }

  /// The relations of a plan and the views that the text of its statement, `$2`, may name, and whether the text calls a
  /// function that may read any table: by name, as a member of a record, by an operator, or by a cast.
  ///
  /// A function may be inlined, and then isn't in the plan. Where a text or a column only looks like a call, the answer
  /// errs on the safe side.
  private static let planned = """
    WITH f AS (\(ownFunctions)),
    word(name) AS (\(names(inParameter: 2, followedBy: ""))),
    operator(name) AS (SELECT found[1] FROM regexp_matches($2, '[-+*/<>=~!@#%^&|`?]+', 'g') AS found),
    cast_to(type) AS (
      WITH RECURSIVE step(type) AS (
        SELECT c.casttarget FROM pg_cast c JOIN f ON f.oid = c.castfunc
        UNION SELECT t.oid FROM step JOIN pg_type t ON t.typbasetype = step.type OR t.typelem = step.type AND t.typlen = -1)
      SELECT type FROM step),
    found(calls) AS (SELECT $2 ~* '\(readersOfAny)'
      OR EXISTS (SELECT FROM f WHERE f.proname IN (\(calls(inParameter: 2))))
      OR EXISTS (
        SELECT FROM f JOIN pg_type t ON f.pronargs = 1 AND t.oid = f.proargtypes[0] AND t.typtype = 'c'
        WHERE f.proname IN (SELECT name FROM word))
      OR EXISTS (SELECT FROM (\(ownOperators)) AS o JOIN operator ON strpos(operator.name, o.oprname) > 0)
      OR EXISTS (SELECT FROM pg_cast c JOIN f ON f.oid = c.castfunc WHERE c.castcontext = 'i')
      OR EXISTS (
        SELECT FROM cast_to JOIN pg_type t ON t.oid = cast_to.type WHERE t.typname IN (SELECT name FROM word)))
    SELECT relation.name, found.calls FROM found LEFT JOIN (
      SELECT format('%I.%I', node->>'Schema', node->>'Relation Name')
      FROM jsonb_path_query($1::jsonb, 'strict $.**') AS node
      WHERE jsonb_typeof(node) = 'object' AND node ? 'Relation Name'
      UNION
      SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND c.relname IN (SELECT name FROM word)) AS relation(name) ON true
    """
}
