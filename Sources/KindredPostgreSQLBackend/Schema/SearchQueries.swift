import KindredModel
import KindredPostgreSQL

/// Queries for the languages of searches (<https://www.postgresql.org/docs/current/textsearch.html>).
enum SearchQueries {
  /// The `tsvector` columns that no expression generates: table, name, the configuration that PostgreSQL's own trigger
  /// names, the text of another trigger's function that may fill it, and the database's configuration.
  ///
  /// The arguments of a trigger are separated by bytes of 0, which `encode` writes as `\000`.
  static let vectors = #"""
    SELECT a.attrelid, a.attname,
      CASE WHEN f.proname = 'tsvector_update_trigger' AND split_part(encode(t.tgargs, 'escape'), '\000', 1) = a.attname
        THEN split_part(encode(t.tgargs, 'escape'), '\000', 2) END,
      CASE WHEN f.prosrc ~* 'to_tsvector' THEN f.prosrc END,
      coalesce((
        SELECT split_part(setting, '=', 2) FROM pg_db_role_setting s, unnest(s.setconfig) AS setting
        WHERE s.setrole = 0 AND s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND split_part(setting, '=', 1) = 'default_text_search_config'), current_setting('default_text_search_config'))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    LEFT JOIN pg_trigger t ON t.tgrelid = a.attrelid AND NOT t.tgisinternal LEFT JOIN pg_proc f ON f.oid = t.tgfoid
    WHERE a.atttypid = 'tsvector'::regtype AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY a.attrelid, a.attnum,
      f.proname = 'tsvector_update_trigger' AND split_part(encode(t.tgargs, 'escape'), '\000', 1) = a.attname DESC NULLS LAST,
      f.prosrc ~* 'to_tsvector' DESC NULLS LAST, t.tgname
    """#

  /// The names of the configurations, those of the search path also without a schema.
  static let configurations = """
    SELECT cfgname FROM pg_ts_config WHERE pg_ts_config_is_visible(oid)
    UNION ALL
    SELECT n.nspname || '.' || c.cfgname FROM pg_ts_config c JOIN pg_namespace n ON n.oid = c.cfgnamespace
    """
}

/// The function of a trigger that fills vectors (`NEW.words := to_tsvector('english', NEW.title)`).
struct VectorTrigger {
  /// The configurations that it names, each with the column of the record to which the statement assigns.
  private var named: [(column: String?, configuration: String)] = []
  /// The columns to which it assigns vectors.
  private var assigned: Set<String> = []

  init(_ function: String) {
    let tokens = SQLTokens.all(in: function, .postgreSQL)
    var column: String?
    for place in tokens.indices {
      func token(_ offset: Int) -> SQLTokens.Token? {
        tokens.indices.contains(place + offset) ? tokens[place + offset] : nil
      }
      if tokens[place] == .symbol(";") { column = nil }
      if column == nil, tokens[place].isKeyword("NEW"), token(1) == .symbol("."), let name = token(2)?.name,
        token(3) == .symbol("=") || token(3) == .symbol(":") && token(4) == .symbol("=")
      {
        column = if case .quoted? = token(2) { name } else { name.lowercased() }
      }
      guard tokens[place].isKeyword("to_tsvector"), token(1) == .symbol("(") else { continue }
      if let column { assigned.insert(column) }
      if case .string(let configuration)? = token(2) { named.append((column, configuration)) }
    }
  }

  /// Returns the configuration of a vector: the one that its assignment names, else the only one of the function; nil if
  /// none is certain.
  func configuration(of vector: String) -> String? {
    let own = Set(named.filter { $0.column == vector }.map(\.configuration))
    if own.count == 1 { return own.first }
    let all = Set(named.map(\.configuration))
    return own.isEmpty && !assigned.contains(vector) && all.count == 1 ? all.first : nil
  }
}
