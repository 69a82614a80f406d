import KindredPostgreSQL

/// Queries of PostgreSQL's catalogs (<https://www.postgresql.org/docs/current/catalogs.html>).
///
/// In each of them, `$1` is the array of the names of the schemas.
enum SchemaQueries {
  /// The tables that can be served and, with a `place` of NULL, the other tables that their views read, as common table
  /// expressions of the other queries.
  ///
  /// What is served is decided by `served` alone: neither parts of partitioned tables nor what belongs to an extension, in
  /// whatever schema. Of several served tables of one name, the first keeps it; the names of the others begin with their
  /// schema.
  private static let relations = """
    WITH RECURSIVE served AS (
      SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname = ANY($1::text[])
        AND NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')),
    reachable(oid) AS (
      SELECT oid FROM served
      UNION
      SELECT c.oid FROM reachable JOIN pg_class v ON v.oid = reachable.oid AND v.relkind = 'v'
      JOIN pg_rewrite w ON w.ev_class = v.oid
      JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
      JOIN pg_class c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p', 'v', 'f')),
    placed AS (
      SELECT c.oid, c.relname, c.relkind, n.nspname,
        CASE WHEN served.oid IS NOT NULL THEN array_position($1::text[], n.nspname::text) END AS place
      FROM reachable JOIN pg_class c USING (oid) JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN served ON served.oid = c.oid),
    relation AS (
      SELECT placed.*, CASE WHEN place IS NULL OR row_number() OVER (PARTITION BY relname ORDER BY place, oid) > 1
          THEN nspname || '.' || relname ELSE relname END AS name
      FROM placed)

    """

  /// The tables, ordered by schema and then by creation: the last columns tell whether no trigger takes the place of
  /// changes, whether it inherits or is inherited from, the comment, the definition of a view of one table, whether there
  /// are triggers, and the definition of any view.
  ///
  /// Views of one table are the views that PostgreSQL can write to by itself
  /// (<https://www.postgresql.org/docs/current/sql-createview.html>); with a rule it says so of others too.
  static let tables =
    relations + """
      SELECT r.oid, r.name, r.relkind,
        CASE WHEN r.relkind IN ('v', 'f') THEN pg_relation_is_updatable(r.oid, true)
          WHEN r.relkind = 'm' THEN 0 ELSE 28 END,
        r.nspname, r.relname, r.place IS NOT NULL,
        NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = r.oid AND t.tgtype & 64 <> 0),
        EXISTS (
          SELECT FROM pg_inherits i WHERE i.inhrelid = r.oid OR i.inhparent = r.oid AND r.relkind <> 'p'),
        obj_description(r.oid, 'pg_class'),
        CASE WHEN r.relkind = 'v' AND pg_relation_is_updatable(r.oid, false) & 16 <> 0
            AND NOT EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = r.oid AND w.rulename <> '_RETURN')
          THEN (SELECT w.ev_action::text FROM pg_rewrite w WHERE w.ev_class = r.oid) END,
        EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = r.oid AND NOT t.tgisinternal),
        CASE WHEN r.relkind = 'v'
          THEN (SELECT w.ev_action::text FROM pg_rewrite w WHERE w.ev_class = r.oid AND w.rulename = '_RETURN') END
      FROM relation r ORDER BY r.place, r.oid
      """

  /// The columns; for a domain, with its base type, and at the end the number, the comment, and the search configuration
  /// of the expression that generates it.
  ///
  /// A column of a view that PostgreSQL can write to is a generated one where the view computes it. The functions that cast
  /// values to `json` and back follow, those of a domain or its base type, or of the elements of an array.
  ///
  /// Not every engine knows whether a collation is deterministic.
  static let columns =
    relations + """
      , base AS (
        WITH RECURSIVE step(oid, base, modifier, isNotNull, hasDefault) AS (
          SELECT oid, typbasetype, typtypmod, typnotnull, typdefault IS NOT NULL FROM pg_type WHERE typtype = 'd'
          UNION ALL
          SELECT step.oid, t.typbasetype, t.typtypmod, step.isNotNull OR t.typnotnull,
            step.hasDefault OR t.typdefault IS NOT NULL
          FROM step JOIN pg_type t ON t.oid = step.base WHERE t.typtype = 'd')
        SELECT step.* FROM step JOIN pg_type t ON t.oid = step.base WHERE t.typtype <> 'd')
      SELECT a.attrelid, a.attname,
        CASE WHEN base.oid IS NULL THEN format_type(a.atttypid, a.atttypmod)
          ELSE format_type(base.base, base.modifier) END,
        a.attnotnull OR coalesce(base.isNotNull, false),
        a.attgenerated <> '' OR a.attidentity = 'a' OR r.relkind = 'v' AND pg_relation_is_updatable(r.oid, true) & 28 = 28
          AND NOT EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = r.oid AND w.rulename <> '_RETURN')
          AND NOT pg_column_is_updatable(r.oid, a.attnum, true),
        a.atthasdef OR a.attidentity <> '' OR coalesce(base.hasDefault, false),
        pg_get_expr(d.adbin, d.adrelid), t.typtype = 'c',
        c.collname, coalesce((to_jsonb(c) ->> 'collisdeterministic')::bool, true), a.atttypid, t.oid, a.attnum,
        col_description(a.attrelid, a.attnum), CASE WHEN a.attgenerated <> '' THEN (
          SELECT CASE WHEN count(DISTINCT found[1]) = 1 THEN min(found[1]) END
          FROM regexp_matches(
            pg_get_expr(d.adbin, d.adrelid), 'to_tsvector[(]''((?:[^'']|'''')+)''::regconfig', 'g') AS found) END,
        a.attgenerated <> '', CASE WHEN a.attgenerated <> '' AND t.typname = 'tsvector' THEN (
          SELECT coalesce(string_agg(p.refobjsubid::text, ' '), '') FROM pg_depend p
          WHERE p.classid = 'pg_attrdef'::regclass AND p.objid = d.oid AND p.refclassid = 'pg_class'::regclass
            AND p.refobjid = a.attrelid AND p.refobjsubid NOT IN (0, a.attnum)) END,
        a.attgenerated <> 'v', cast_to_json.reading, cast_to_json.writing, cast_to_json.level > 2,
        base.oid IS NOT NULL AND t.typtype = 'e', a.attndims
      FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid
      LEFT JOIN base ON base.oid = a.atttypid
      JOIN pg_type t ON t.oid = coalesce(base.base, a.atttypid)
      LEFT JOIN LATERAL (
        SELECT found.level, \(function(cast: "c.castfunc")) AS reading, (
          SELECT \(function(cast: "w.castfunc")) FROM pg_cast w JOIN pg_proc f ON f.oid = w.castfunc AND f.pronargs = 1
          WHERE w.castsource = 'json'::regtype AND w.casttarget = found.type) AS writing
        FROM (VALUES (1, a.atttypid), (2, t.oid), (3, CASE WHEN t.typcategory = 'A' THEN t.typelem END)) AS found(level, type)
        JOIN pg_cast c ON c.castsource = found.type AND c.casttarget = 'json'::regtype AND c.castmethod = 'f'
        JOIN pg_proc p ON p.oid = c.castfunc AND p.pronargs = 1
        ORDER BY found.level LIMIT 1) AS cast_to_json ON true
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_collation c ON c.oid = a.attcollation AND pg_collation_is_visible(c.oid)
      WHERE a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attrelid, a.attnum
      """

  /// Returns the name of the function of a cast.
  private static func function(cast id: String) -> String {
    "(SELECT format('%I.%I', n.nspname, o.proname) FROM pg_proc o JOIN pg_namespace n ON n.oid = o.pronamespace WHERE o.oid = \(id))"
  }

  /// What the columns' types are made of, at any depth: of a composite its fields, of a domain its base type, of an
  /// array the type of its elements.
  static let typeParts =
    relations + """
      , part AS (
        WITH RECURSIVE step(type, field, next) AS (
          SELECT 0::oid, NULL::name, a.atttypid FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid
          JOIN pg_type t ON t.oid = a.atttypid
          WHERE a.attnum > 0 AND NOT a.attisdropped AND (t.typtype IN ('c', 'd') OR t.typcategory = 'A')
          UNION
          SELECT t.oid, inner_part.field, inner_part.next FROM step JOIN pg_type t ON t.oid = step.next
          CROSS JOIN LATERAL (
            SELECT NULL::name, t.typbasetype WHERE t.typtype = 'd'
            UNION ALL SELECT NULL, t.typelem WHERE t.typcategory = 'A' AND t.typtype <> 'd'
            UNION ALL
            SELECT f.attname, f.atttypid FROM pg_attribute f
            WHERE t.typtype = 'c' AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped
          ) AS inner_part(field, next))
        SELECT * FROM step)
      SELECT type, field, next, n.typtype, n.typcategory = 'A', format_type(next, NULL)
      FROM part JOIN pg_type n ON n.oid = part.next
      """

  /// The served tables of more than a page that were never analyzed, or most of whose rows have changed since.
  static let statistics =
    relations + """
      SELECT r.relname, s.last_analyze IS NULL AND s.last_autoanalyze IS NULL AND c.reltuples < 0
      FROM relation r JOIN pg_class c ON c.oid = r.oid JOIN pg_stat_user_tables s ON s.relid = c.oid
      WHERE r.place IS NOT NULL AND c.relkind = 'r' AND c.relpersistence <> 't'
        AND (s.last_analyze IS NULL AND s.last_autoanalyze IS NULL AND c.reltuples < 0 AND s.n_live_tup > 100
          OR c.reltuples >= 0 AND c.relpages > 1 AND s.n_mod_since_analyze > greatest(c.reltuples, 1000))
      ORDER BY 1
      """

  /// The labels of the enumerations, in their order.
  static let labels = """
    SELECT enumtypid, enumlabel FROM pg_enum ORDER BY enumtypid, enumsortorder
    """

  /// The columns that the current role may not select.
  static let withheldColumns =
    relations + """
      SELECT r.name, a.attname FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid
      WHERE r.place IS NOT NULL AND a.attnum > 0 AND NOT a.attisdropped AND NOT has_column_privilege(r.oid, a.attnum, 'SELECT')
      """

  /// The columns of valid indexes that can find records by equality, and where their values are in the order of the column,
  /// the bits of `INDOPTION_DESC` and `INDOPTION_NULLS_FIRST`; at last the condition of a partial index.
  static let indexes =
    relations + """
      SELECT i.indrelid, i.indexrelid, i.indisprimary, i.indisunique, a.attname, c.relname,
        CASE WHEN m.amname = 'btree' AND i.indcollation[k.place::int4 - 1] IN (0, a.attcollation)
            AND EXISTS (SELECT FROM pg_opclass o WHERE o.oid = i.indclass[k.place::int4 - 1] AND o.opcdefault)
          THEN i.indoption[k.place::int4 - 1]::int8 END, pg_get_expr(i.indpred, i.indrelid)
      FROM relation r JOIN pg_index i ON i.indrelid = r.oid
      JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
      CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)
      LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0
      WHERE i.indisvalid AND (m.amname IN ('btree', 'hash') OR i.indisunique)
        AND k.place <= i.indnkeyatts
      ORDER BY i.indrelid, i.indisprimary DESC, i.indexrelid, k.place
      """

  /// The columns of the foreign keys, in the order of declaration, whether only a commit checks them, and whether they have
  /// a PERIOD, which PostgreSQL 18 knows.
  static let foreignKeys =
    relations + """
      SELECT k.oid, k.conrelid, k.confrelid, a.attname, b.attname, k.condeferred,
        coalesce((to_jsonb(k) ->> 'conperiod')::bool, false)
      FROM relation r JOIN pg_constraint k ON k.conrelid = r.oid
      CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS c(own, other, place)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.own
      JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = c.other
      WHERE k.contype = 'f' AND k.conparentid = 0
      ORDER BY k.oid, c.place
      """

  /// The tables that Citus distributes over shards, with their columns and colocations.
  ///
  /// Those of a schema that is one shard have no column. Reference tables, which each node has, are left out
  /// (<https://docs.citusdata.com/en/stable/develop/api_metadata.html#partition-table>).
  static let distributions = """
    SELECT p.logicalrelid::oid,
      CASE WHEN p.partmethod <> 'n' THEN column_to_column_name(p.logicalrelid, p.partkey) END, p.colocationid
    FROM pg_dist_partition p WHERE p.partmethod <> 'n' OR p.repmodel = 's' AND p.colocationid > 0
    """

  /// The settings of roles, those of all databases before those of this one; whether a role may have them in the
  /// transactions of clients, of a time its milliseconds, and whether the connection's user may become the role.
  ///
  /// Left out are settings that decide how values are read or names found, and the settings of transactions.
  static let roleSettings = """
    SELECT r.rolname, s.name, s.value, g.context IS NULL OR g.context = 'user',
      CASE WHEN s.value ~ '^[0-9]{1,9}$' THEN s.value::int8
        WHEN lower(s.name) = 'statement_timeout' AND s.value ~ '^[0-9]{1,9} *(ms|s|min|h|d)$'
        THEN (extract(epoch FROM s.value::interval) * 1000)::int8 END,
      NOT r.rolsuper AND pg_has_role(current_user, r.oid, 'MEMBER')
    FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole
    CROSS JOIN LATERAL (
      SELECT split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1) FROM unnest(d.setconfig) AS setting
    ) AS s(name, value)
    LEFT JOIN pg_settings g ON lower(g.name) = lower(s.name)
    WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND lower(s.name) NOT IN (
        \(ValueSettings.names), 'search_path', 'client_encoding', 'lc_messages', 'lc_monetary', 'lc_numeric', 'lc_time', 'role',
        'session_authorization', 'cursor_tuple_fraction')
      AND lower(s.name) !~ '^(default_)?transaction_|^request[.]'
    ORDER BY r.rolname, d.setdatabase
    """

  /// A text that changes whenever the result of one of the other queries may have changed.
  ///
  /// The `xmin` of `pg_class` would change with each TRUNCATE too, which gives a table another file.
  static let fingerprint =
    relations + """
      , place AS (
        SELECT n.oid FROM pg_namespace n WHERE n.nspname = ANY($1::text[])
        UNION SELECT c.relnamespace FROM relation r JOIN pg_class c ON c.oid = r.oid)
      SELECT md5(concat_ws(' ',
        (SELECT md5(string_agg(concat_ws(' ', c.oid, c.relname, n.nspname, c.relkind, c.relowner, c.relispartition,
            c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, c.relacl, c.reloptions), ',' ORDER BY c.oid))
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN place ON place.oid = n.oid),
        (SELECT md5(string_agg(concat_ws(' ', r.oid, r.xmin), ',' ORDER BY r.oid))
          FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN place ON place.oid = c.relnamespace),
        (SELECT md5(string_agg(concat_ws(' ', p.oid, p.xmin), ',' ORDER BY p.oid))
          FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN place ON place.oid = c.relnamespace),
        (SELECT md5(string_agg(concat_ws(' ', a.attrelid, a.attnum, a.xmin), ',' ORDER BY a.attrelid, a.attnum))
          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN place ON place.oid = c.relnamespace),
        (SELECT md5(string_agg(concat_ws(' ', a.attrelid, a.attnum, a.xmin), ',' ORDER BY a.attrelid, a.attnum))
          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relkind = 'c'),
        (SELECT md5(string_agg(concat_ws(' ', t.oid, t.xmin), ',' ORDER BY t.oid))
          FROM pg_type t WHERE t.typtype = 'd'),
        (SELECT md5(string_agg(concat_ws(' ', e.oid, e.xmin), ',' ORDER BY e.oid)) FROM pg_enum e),
        (SELECT md5(string_agg(concat_ws(' ', c.oid, c.xmin), ',' ORDER BY c.oid)) FROM pg_cast c WHERE c.castfunc >= 16384),
        (SELECT md5(string_agg(concat_ws(' ', g.oid, g.xmin), ',' ORDER BY g.oid))
          FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN place ON place.oid = c.relnamespace WHERE NOT g.tgisinternal),
        (SELECT md5(string_agg(concat_ws(' ', k.oid, k.xmin), ',' ORDER BY k.oid))
          FROM pg_constraint k JOIN place ON place.oid = k.connamespace),
        (SELECT md5(string_agg(concat_ws(' ', i.indexrelid, i.indisvalid, i.xmin), ',' ORDER BY i.indexrelid))
          FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN place ON place.oid = c.relnamespace),
        (SELECT md5(string_agg(concat_ws(' ', e.objoid, e.objsubid, e.xmin), ',' ORDER BY e.objoid, e.objsubid))
          FROM pg_description e JOIN relation r ON r.oid = e.objoid WHERE e.classoid = 'pg_class'::regclass),
        (SELECT md5(string_agg(concat_ws(' ', s.setdatabase, s.setrole, s.xmin), ',' ORDER BY s.setdatabase, s.setrole))
          FROM pg_db_role_setting s),
        (SELECT md5(string_agg(concat_ws(' ', f.oid, f.xmin), ',' ORDER BY f.oid))
          FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
          WHERE f.provolatile <> 'i' AND n.nspname NOT IN ('pg_catalog', 'information_schema')),
        (SELECT md5(string_agg(concat_ws(' ', m.roleid, m.member, m.xmin), ',' ORDER BY m.roleid, m.member, m.xmin::text))
          FROM pg_auth_members m)))
      """
}
