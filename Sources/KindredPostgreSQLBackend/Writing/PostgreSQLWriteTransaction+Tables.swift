import KindredModel
import KindredPostgreSQL
import KindredSQLSyntax

extension PostgreSQLWriteTransaction {
  func restrictsRows(of table: Table) throws -> Bool {
    try run([Query(RowSecurity.isActive, [Array(table.qualifiedName.utf8)])])[0].isTrue(0, 0)
  }

  func storesParts(of column: String, in table: Table) throws -> Bool {
    try StoredParts(column: column, table: table, transaction: self).arePossible
  }

  func storeParts(
    of column: String, in table: Table, of record: [(column: String, value: SQLValue)], byteCount: Int,
    _ bytes: (_ store: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    try changing { try StoredParts(column: column, table: table, transaction: self).store(in: record, bytes) }
  }
}

/// Row-level security (<https://www.postgresql.org/docs/current/ddl-rowsecurity.html>).
private enum RowSecurity {
  /// Whether policies hold for the current role in a table, or in one that a view reads.
  static let isActive = """
    WITH RECURSIVE read(oid) AS (
      SELECT $1::regclass::oid
      UNION SELECT d.refobjid FROM read JOIN pg_rewrite r ON r.ev_class = read.oid
        JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
          AND d.refclassid = 'pg_class'::regclass)
    SELECT coalesce(bool_or(row_security_active(c.oid)), false)
    FROM read JOIN pg_class c ON c.oid = read.oid WHERE c.relkind IN ('r', 'p', 'v')
    """
}
