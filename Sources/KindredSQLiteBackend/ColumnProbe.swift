import CKindredSQLite
import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// Determines how SQLite compares the columns of a view or a common table expression, which neither a declaration nor a
/// function of SQLite reports.
///
///     WITH … probe(c0, …) AS MATERIALIZED (SELECT * FROM (SELECT * FROM view LIMIT 0) UNION ALL SELECT 'a', …)
///     SELECT max(c0 = 'A'), … FROM probe
///
/// A compound SELECT takes the affinity and collation of its columns from its first part, of which no row is read.
struct ColumnProbe {
  /// How values of a column are compared.
  struct Comparison {
    let isNumeric: Bool
    let isText: Bool
    let collation: String

    /// Returns the affinity, which may differ from that of the declared type.
    func affinity(ofType declaredType: String) -> Column.Affinity {
      let declared = Column.affinity(of: declaredType)
      if isNumeric { return declared.isNumeric ? declared : .numeric }
      return isText ? .text : .blob
    }
  }

  /// The maximum number of columns: more would exceed SQLite's number of result columns.
  private static let maximumColumns = 500

  let connection: Connection

  /// Returns the comparison of each column by its name; nil if SQLite can't read the view.
  ///
  /// - Parameter clauses: The common table expressions that it may read, including itself.
  func comparisons(of view: String, with clauses: [SQL] = []) throws -> [String: Comparison]? {
    do {
      let with: SQL = clauses.isEmpty ? "WITH " : "WITH \(clauses.joined(separator: ", ")), "
      let names = try columns(of: view, with: clauses)
      guard !names.isEmpty, names.count <= Self.maximumColumns else { return nil }
      let texts = try probe(
        view, names.count, with: with, rows: ["'a'", "'1'"], comparedTo: ["'A'", "'a '", "1"])
      let numbers = try probe(view, names.count, with: with, rows: ["1"], comparedTo: ["'01'"])
      let comparisons = names.indices.map { number in
        Comparison(
          isNumeric: numbers[number], isText: texts[3 * number + 2],
          collation: texts[3 * number] ? "NOCASE" : texts[3 * number + 1] ? "RTRIM" : "BINARY")
      }
      return Dictionary(zip(names, comparisons), uniquingKeysWith: { first, _ in first })
    } catch let error as DatabaseError where error.code == SQLITE_ERROR {
      return nil
    }
  }

  /// Returns the names of the columns that just show a stored column of a table.
  ///
  /// Of a compound SELECT, it is known only for the first part.
  func storedColumns(of view: String, with clauses: [SQL] = []) throws -> NameSet {
    let statement: Statement
    do {
      statement = try rows(of: view, with: clauses)
    } catch let error as DatabaseError where error.code == SQLITE_ERROR {
      return []
    }
    var stored = NameSet()
    for column in 0..<statement.columnCount {
      guard let origin = statement.columnOrigin(column) else { continue }
      let isVirtual = try connection.rows(
        "SELECT hidden = 2 FROM pragma_table_xinfo(?1) WHERE name = ?2",
        [.text(origin.table), .text(origin.column)]
      ) { $0.int64(0) == 1 }
      // The rowid is no column of its table.
      if isVirtual.first != true { stored.insert(statement.columnName(column)) }
    }
    return stored
  }

  private func columns(of view: String, with clauses: [SQL]) throws -> [String] {
    let statement = try rows(of: view, with: clauses)
    return (0..<statement.columnCount).map(statement.columnName)
  }

  private func rows(of view: String, with clauses: [SQL]) throws -> Statement {
    let with: SQL = clauses.isEmpty ? SQL() : "WITH \(clauses.joined(separator: ", ")) "
    return try connection.prepare(
      ("\(with)SELECT * FROM \(identifier: view) LIMIT 0" as SQL).rendered().text)
  }

  /// Returns, for each column and each value, whether the column equals the value in one of the rows.
  ///
  /// - Parameter rows: For each row, the literal that all of its columns hold.
  private func probe(
    _ view: String, _ count: Int, with: SQL, rows: [SQL], comparedTo values: [SQL]
  ) throws -> [Bool] {
    let columns = (0..<count).map { "\(identifier: "c\($0)")" as SQL }
    let literals = rows.map { value in
      " UNION ALL SELECT \(columns.map { _ in value }.joined(separator: ", "))" as SQL
    }
    let comparisons = columns.flatMap { column in values.map { "max(\(column) = \($0))" as SQL } }
    let probe: SQL = "\(identifier: "kindred:probe")"
    let part: SQL = "SELECT * FROM (SELECT * FROM \(identifier: view) LIMIT 0)"
    let rows: SQL = "\(part)\(literals.joined(separator: SQL()))"
    let sql: SQL =
      "\(with)\(probe)(\(columns.joined(separator: ", "))) AS MATERIALIZED (\(rows)) SELECT \(comparisons.joined(separator: ", ")) FROM \(probe)"
    let statement = try connection.prepare(sql.rendered().text)
    guard try statement.step() else { return comparisons.map { _ in false } }
    return comparisons.indices.map { statement.int64(Int32($0)) == 1 }
  }
}
