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

  /// The most parts of one round trip.
  private static let partsTogether = 16

  /// Whether nothing depends on the value when the record is stored, which has an empty one first: no trigger, rule, policy,
  /// CHECK or generated column of the table, no index over the column or an expression, and no partition or heir.
  var arePossible: Bool {
    get throws {
      guard !transaction.backend.capabilities.hasNodes, table.kind == .table, !table.hasTriggers,
        table.column(named: column)?.declaredType == "bytea"
      else { return false }
      let names = [Array(table.qualifiedName.utf8), Array(column.utf8)]
      return try transaction.run([Query(Self.isIndependent, names)])[0].isTrue(0, 0)
    }
  }

  private static let isIndependent = """
    SELECT EXISTS (
      SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $2
      WHERE c.oid = $1::regclass AND c.relkind = 'r'
        AND NOT (c.relispartition OR c.relhassubclass OR c.relhasrules OR c.relrowsecurity)
        AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid)
        AND NOT EXISTS (
          SELECT FROM pg_constraint k
          WHERE k.conrelid = c.oid AND (k.contype = 'c' OR k.contype <> 'n' AND a.attnum = ANY(k.conkey)))
        AND NOT EXISTS (
          SELECT FROM pg_index i WHERE i.indrelid = c.oid
            AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR a.attnum = ANY(i.indkey::int2[])))
        AND NOT EXISTS (SELECT FROM pg_attribute g WHERE g.attrelid = c.oid AND g.attgenerated <> '')
        AND has_function_privilege('pg_catalog.lo_from_bytea(oid, bytea)', 'EXECUTE')
        AND has_function_privilege('pg_catalog.lo_put(oid, bigint, bytea)', 'EXECUTE')
        AND has_function_privilege('pg_catalog.lo_get(oid)', 'EXECUTE')
        AND has_function_privilege('pg_catalog.lo_unlink(oid)', 'EXECUTE'))
    """

  /// Replaces the value in a record.
  ///
  /// - Parameter bytes: Passes all bytes in parts.
  func store(
    in record: [(column: String, value: SQLValue)],
    _ bytes: (_ store: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let made = try transaction.run([Query("SELECT pg_catalog.lo_from_bytea(0, '')")])[0]
    let id = made.text(0, 0).map { Array($0.utf8) }
    var parts: [Query] = []
    var offset = 0
    try bytes { part in
      let values = [id, Array(String(offset).utf8), Hexadecimal.text(Array(part))]
      parts.append(Query("SELECT pg_catalog.lo_put($1::oid, $2::int8, $3::bytea)", values))
      offset += part.count
      guard parts.count == Self.partsTogether else { return }
      _ = try transaction.run(parts)
      parts = []
    }
    let condition = record.indices.map { "\(SQL.quoted(record[$0].column)) = $\($0 + 2)" }
    let update = Query(
      """
      UPDATE \(table.qualifiedName) SET \(SQL.quoted(column)) = pg_catalog.lo_get($1::oid)
      WHERE \(condition.joined(separator: " AND "))
      """, [id] + record.map(\.value.postgreSQLText))
    let results = try transaction.run(parts + [update, Query("SELECT pg_catalog.lo_unlink($1::oid)", [id])])
    guard results[parts.count].affectedRows == 1 else {
      throw PostgreSQLError(.internalError, "the record of a long value isn't found again")
    }
  }
}
