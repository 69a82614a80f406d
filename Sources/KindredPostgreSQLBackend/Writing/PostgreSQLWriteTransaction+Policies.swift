import KindredModel
import KindredPostgreSQL

/// Row-level security (<https://www.postgresql.org/docs/current/ddl-rowsecurity.html>).
extension PostgreSQLWriteTransaction {
  func restrictsRows(of table: Table) throws -> Bool {
    try run([Query(Self.isSecured, [Array(table.qualifiedName.utf8)])])[0].isTrue(0, 0)
  }

  /// Whether policies hold for the current role in a table, or in one that a view reads.
  private static let isSecured = """
    WITH RECURSIVE read(oid) AS (
      SELECT $1::regclass::oid
      UNION SELECT d.refobjid FROM read JOIN pg_rewrite r ON r.ev_class = read.oid
        JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
          AND d.refclassid = 'pg_class'::regclass)
    SELECT coalesce(bool_or(row_security_active(c.oid)), false)
    FROM read JOIN pg_class c ON c.oid = read.oid WHERE c.relkind IN ('r', 'p', 'v')
    """
}
