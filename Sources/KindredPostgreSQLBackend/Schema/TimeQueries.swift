import KindredPostgreSQL

/// Queries for what may change without a commit in the database, and for what that depends on.
///
/// Views, policies, SQL-standard functions and default arguments are read as PostgreSQL's own trees
/// (`pg_node_tree`), which name each function by its OID, however its call is spelt
/// (<https://www.postgresql.org/docs/current/catalog-pg-rewrite.html>).
enum TimeQueries {
  /// In the order in which ``TimeDependence`` takes the results.
  static var all: [Query] { [Query(relations), Query(functions), Query(names)] }

  private static let isOwn = "NOT IN ('pg_catalog', 'information_schema')"

  /// What a tree refers to, each after its kind: `r` a relation, `f` a function, `t` the type that a text is read as; and
  /// `now` for the constructs that read the clock, or may.
  ///
  /// The names of the tree have no space that isn't escaped, so none of them looks like a field.
  private static func references(in tree: String) -> String {
    """
    concat_ws(' ', CASE WHEN \(tree) ~ '\\{(SQLVALUEFUNCTION :op [0-8] |TABLEFUNC |JSONEXPR )' THEN 'now' END,
      (SELECT string_agg(DISTINCT
          CASE found[1] WHEN 'relid' THEN 'r' WHEN 'resulttype' THEN 't' ELSE 'f' END || found[2], ' ')
        FROM regexp_matches(
          \(tree), ':(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler|resulttype) ([0-9]+)', 'g') AS found
        WHERE found[1] <> 'resulttype' OR strpos(\(tree), '{COERCEVIAIO ') > 0))
    """
  }

  /// The relations that aren't plain tables, or have policies, partitions or children: OID, name, kind, references.
  private static let relations = """
    WITH definition(id, tree) AS (
      SELECT ev_class, ev_action::text FROM pg_rewrite WHERE ev_type = '1'
      UNION ALL
      SELECT polrelid, polqual::text FROM pg_policy WHERE polqual IS NOT NULL AND polcmd IN ('r', '*')
      UNION ALL
      SELECT inhparent, ':relid ' || inhrelid FROM pg_inherits
      UNION ALL
      SELECT oid, '' FROM pg_class WHERE relkind IN ('S', 'f'))
    SELECT c.oid, c.relname, c.relkind, string_agg(\(references(in: "d.tree")), ' ')
    FROM definition d JOIN pg_class c ON c.oid = d.id JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname \(isOwn) AND c.relkind IN ('r', 'p', 'v', 'f', 'S')
    GROUP BY c.oid
    """

  /// The functions of the database's own that aren't certainly IMMUTABLE: OID, name, what decides (`v`: it is VOLATILE or
  /// can't be looked into; the language of its text; else its references alone), references, and the text.
  ///
  /// Of a function's types, only types that an assignment may read from a text count. Those of aggregates are their
  /// support functions.
  private static let functions = """
    SELECT f.oid, f.proname, CASE
        WHEN f.prokind = 'a' THEN 'a' WHEN f.provolatile = 'v' THEN 'v' WHEN f.provolatile = 'i' THEN 'i'
        WHEN f.prosqlbody IS NOT NULL THEN 'i' WHEN l.lanname IN ('sql', 'plpgsql') THEN l.lanname ELSE 'v' END,
      concat_ws(' ', \(references(in: "concat(f.prosqlbody, f.proargdefaults)")), (
        SELECT string_agg('f' || part.id, ' ') FROM pg_aggregate a, unnest(ARRAY[
            a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn,
            a.aggmfinalfn]::oid[]) AS part(id)
          WHERE a.aggfnoid = f.oid AND part.id <> 0),
        CASE WHEN l.lanname = 'plpgsql' THEN (
          SELECT string_agg('t' || type.id, ' ')
            FROM unnest(f.prorettype || coalesce(f.proallargtypes, f.proargtypes::oid[])) AS type(id)) END),
      f.prosrc
    FROM pg_proc f JOIN pg_language l ON l.oid = f.prolang JOIN pg_namespace n ON n.oid = f.pronamespace
    WHERE n.nspname \(isOwn) AND (f.provolatile <> 'i' OR f.prokind = 'a' OR f.proargdefaults IS NOT NULL)
    """

  /// The kind, OID and name of what may depend on more than the database.
  ///
  /// These are functions and views of the system, the types whose texts may name a time, the types made of them, and the
  /// functions of the database's own operators and casts.
  private static let names = """
    WITH RECURSIVE part(id, whole) AS (
      SELECT typelem, oid FROM pg_type WHERE typelem <> 0 AND typcategory = 'A'
      UNION ALL SELECT typbasetype, oid FROM pg_type WHERE typbasetype <> 0
      UNION ALL SELECT rngsubtype, rngtypid FROM pg_range
      UNION ALL SELECT rngtypid, rngmultitypid FROM pg_range
      UNION ALL SELECT a.atttypid, c.reltype FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.reltype <> 0 AND a.attnum > 0),
    timed(id) AS (
      SELECT oid FROM pg_type
        WHERE typnamespace = 'pg_catalog'::regnamespace AND typname IN ('date', 'time', 'timetz', 'timestamp', 'timestamptz')
      UNION SELECT part.whole FROM timed JOIN part USING (id))
    SELECT 'function', f.oid, f.proname FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
      WHERE NOT n.nspname \(isOwn) AND f.provolatile <> 'i'
        AND f.proname <> ALL ('{\(settled.joined(separator: ","))}'::text[])
    UNION ALL SELECT 'view', c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE NOT n.nspname \(isOwn) AND c.relkind = 'v'
    UNION ALL SELECT CASE t.typtype WHEN 'c' THEN 'composite' ELSE 'type' END, t.oid, t.typname
      FROM timed JOIN pg_type t ON t.oid = timed.id
    UNION ALL SELECT 'operator', o.oprcode::oid, o.oprname FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace
      WHERE n.nspname \(isOwn)
    UNION ALL SELECT 'cast', castfunc, '' FROM pg_cast WHERE castfunc >= 16384
    """

  /// The STABLE functions of PostgreSQL that depend on settings, rights and the catalog alone, in all overloads.
  ///
  /// The settings of transactions are the same for equal rights. Functions that read a text as a value of another type
  /// are left out, since the text may be `now`.
  private static let settled = [
    // Times in the session's zone; but not `age` and `timetz`, which know today.
    "date", "date_add", "date_cmp_timestamptz", "date_eq_timestamptz", "date_ge_timestamptz",
    "date_gt_timestamptz",
    "date_le_timestamptz", "date_lt_timestamptz", "date_ne_timestamptz", "date_part", "date_subtract",
    "date_trunc",
    "extract", "generate_series", "in_range", "interval_pl_timestamptz", "make_timestamptz", "overlaps",
    "time",
    "timestamp", "timestamp_cmp_timestamptz", "timestamp_eq_timestamptz", "timestamp_ge_timestamptz",
    "timestamp_gt_timestamptz", "timestamp_le_timestamptz", "timestamp_lt_timestamptz",
    "timestamp_ne_timestamptz",
    "timestamptz", "timestamptz_cmp_date", "timestamptz_cmp_timestamp", "timestamptz_eq_date",
    "timestamptz_eq_timestamp", "timestamptz_ge_date", "timestamptz_ge_timestamp", "timestamptz_gt_date",
    "timestamptz_gt_timestamp", "timestamptz_le_date", "timestamptz_le_timestamp", "timestamptz_lt_date",
    "timestamptz_lt_timestamp", "timestamptz_mi_interval", "timestamptz_ne_date", "timestamptz_ne_timestamp",
    "timestamptz_pl_interval", "to_char", "to_date", "to_number", "to_timestamp",
    // Texts of values.
    "anytextcat", "array_to_json", "array_to_string", "concat", "concat_ws", "convert", "convert_from",
    "convert_to",
    "format", "json_agg", "json_agg_strict", "json_agg_transfn", "json_build_array", "json_build_object",
    "json_object_agg", "json_object_agg_strict", "json_object_agg_transfn", "json_object_agg_unique",
    "json_object_agg_unique_strict", "jsonb_agg", "jsonb_agg_finalfn", "jsonb_agg_strict",
    "jsonb_agg_transfn",
    "jsonb_build_array", "jsonb_build_object", "jsonb_object_agg", "jsonb_object_agg_finalfn",
    "jsonb_object_agg_strict", "jsonb_object_agg_transfn", "jsonb_object_agg_unique",
    "jsonb_object_agg_unique_strict",
    "length", "money", "numeric", "pg_typeof", "quote_literal", "quote_nullable", "row_to_json", "textanycat",
    "to_json",
    "to_jsonb",
    // Searches in the session's language.
    "get_current_ts_config", "json_to_tsvector", "jsonb_to_tsvector", "phraseto_tsquery", "plainto_tsquery",
    "to_tsquery", "to_tsvector", "ts_headline", "ts_match_tq", "ts_match_tt", "websearch_to_tsquery",
    // The current role, and what is in the catalog.
    "col_description", "current_database", "current_schema", "current_schemas", "current_setting",
    "current_user",
    "enum_first", "enum_last", "enum_range", "format_type", "getdatabaseencoding", "has_any_column_privilege",
    "has_column_privilege", "has_schema_privilege", "has_table_privilege", "obj_description",
    "pg_collation_for",
    "pg_get_userbyid", "pg_has_role", "regclass", "row_security_active", "session_user", "to_regclass",
    "version",
  ]
}
