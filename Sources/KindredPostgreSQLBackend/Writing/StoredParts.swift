import KindredModel
import KindredOutput
import KindredPostgreSQL
import KindredSQLSyntax

/// A value of `bytea` that is sent in parts, to a large object that the transaction removes again
/// (<https://www.postgresql.org/docs/current/lo-funcs.html>).
struct StoredParts {
  let column: String
  let table: Table
  let transaction: PostgreSQLWriteTransaction

  /// Whether no trigger, constraint, index, policy or generated column reads the column, because each would see the record
  /// without the value first.
  var arePossible: Bool {
    get throws {
      guard !transaction.backend.capabilities.hasNodes, table.kind == .table, !table.hasTriggers,
        table.column(named: column)?.declaredType == "bytea"
      else { return false }
      let names = [Array(table.qualifiedName.utf8), Array(column.utf8)]
      return try !transaction.run([Query(Self.isReadByOthers, names)])[0].isTrue(0, 0)
    }
  }

  /// A view (`pg_rewrite`), the column's own default and NOT NULL may depend on it.
  private static let isReadByOthers = """
    SELECT EXISTS (
      SELECT FROM pg_attribute a JOIN pg_depend d
        ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
      WHERE a.attrelid = $1::regclass AND a.attname = $2 AND d.classid <> 'pg_rewrite'::regclass
        AND NOT EXISTS (
          SELECT FROM pg_attrdef f WHERE d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid AND f.adnum = a.attnum)
        AND NOT EXISTS (
          SELECT FROM pg_constraint k
          WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid AND k.contype = 'n'))
    """

  /// Replaces the value in a record.
  ///
  /// - Parameter bytes: Passes all bytes in parts.
  func store(
    in record: [(column: String, value: SQLValue)],
    _ bytes: (_ store: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let id = try transaction.run([Query("SELECT lo_from_bytea(0, '')")])[0].text(0, 0).map { Array($0.utf8) }
    var offset = 0
    try bytes { part in
      let values = [id, Array(String(offset).utf8), Hexadecimal.text(Array(part))]
      _ = try transaction.run([Query("SELECT lo_put($1, $2, $3)", values)])
      offset += part.count
    }
    let condition = record.indices.map { "\(SQL.quoted(record[$0].column)) = $\($0 + 2)" }
    let update = Query(
      """
      UPDATE \(table.qualifiedName) SET \(SQL.quoted(column)) = lo_get($1)
      WHERE \(condition.joined(separator: " AND "))
      """, [id] + record.map(\.value.postgreSQLText))
    _ = try transaction.run([update, Query("SELECT lo_unlink($1)", [id])])
  }
}
