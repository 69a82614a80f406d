import KindredModel
import KindredSQLSyntax

extension Table {
  /// Returns the statement that finds the records which a record of this shape would replace by `ON CONFLICT REPLACE`.
  ///
  ///     SELECT kept.rowid
  ///     FROM project AS kept, (SELECT ?1 AS code, …) AS written
  ///     WHERE (kept.code = written.code OR …) AND NOT (kept.rowid = ?2)
  ///
  /// Its parameters are those of `draft`.
  public func conflicts(with draft: DraftShape, dialect: Dialect) -> Plan.Statement {
    let writer = dialect.writer
    let keys = indexes.filter(\.isUnique).map { index -> SQL in
      let equalities = zip(index.columns, index.collations).map { column, collation -> SQL in
        guard let column else { return "FALSE" }
        let collated: SQL = collation.map { " COLLATE \(identifier: $0)" } ?? SQL()
        return "kept.\(identifier: column) = written.\(identifier: column)\(collated)"
      }
      return "(\(equalities.joined(separator: " AND ")))"
    }
    let shown = locatorColumns.map { "kept.\(identifier: $0)" as SQL }.joined(separator: ", ")
    var sql: SQL = """
      SELECT \(shown) FROM \(identifier: name) AS kept, (\(row(of: draft, in: writer, isStored: false))) AS written \
      WHERE (\(keys.isEmpty ? "FALSE" : keys.joined(separator: " OR ")))
      """
    if !draft.locators.isEmpty {
      let own = draft.locators.enumerated().map { number, column -> SQL in
        "kept.\(identifier: column.text) = \(.parameter(draft.columns.count + number))"
      }
      sql = "\(sql) AND NOT (\(own.joined(separator: " AND ")))"
    }
    return Plan.Statement(sql, writer.parameterStyle)
  }
}
