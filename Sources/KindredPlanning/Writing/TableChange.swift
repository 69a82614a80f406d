import KindredModel
import KindredSQLSyntax

/// The shape of a statement that changes records of one table, or finds them before a change.
///
/// Values are parameters in the order of the columns, so each shape is one prepared statement.
public enum TableChange: Hashable, Sendable {
  /// Inserts a record; omitted columns take their defaults.
  ///
  ///     INSERT INTO table (columns) VALUES (…) RETURNING returned
  case insertion(of: [ExactName], returning: [ExactName], _ resolution: ConflictResolution = .schema)
  /// Inserts several records by one statement; columns that one of them omits take their defaults.
  ///
  ///     INSERT INTO table (columns) VALUES (…), (…) RETURNING returned
  case insertions(rows: [[ExactName]], returning: [ExactName])
  /// Changes one record, found by the values of at least one column; the columns of `resetting` take their defaults.
  ///
  ///     UPDATE table SET columns = …, reset = default WHERE locators = … RETURNING returned
  case update(
    of: [ExactName], resetting: [ExactName], by: [ExactName], returning: [ExactName],
    _ resolution: ConflictResolution = .schema)
  /// Deletes the records with given values in these columns.
  ///
  ///     DELETE FROM table WHERE columns = … RETURNING 1
  case deletion(by: [ExactName])
  /// Deletes the records with the values of so many keys.
  ///
  ///     DELETE FROM table WHERE columns = … OR columns = … RETURNING columns
  case deletions(by: [ExactName], count: Int)
  /// Reads columns of the records with given values in other columns.
  ///
  ///     SELECT columns FROM table WHERE columns = …
  case selection(of: [ExactName], by: [ExactName])
  /// Deletes the records that refer to given ones.
  ///
  ///     DELETE FROM table WHERE references = … RETURNING 1
  case unlinking([ColumnReference])
  /// Reads columns of the records that refer to given ones.
  ///
  ///     SELECT columns FROM table WHERE references = …
  case links(of: [ExactName], [ColumnReference])
}

/// What happens when a change violates a constraint (<https://www.sqlite.org/lang_conflict.html>).
public enum ConflictResolution: Hashable, Sendable {
  /// What the conflict clauses of the schema say; without one, the change fails.
  case schema
  /// The change fails, also where a trigger's statement has another conflict clause.
  case abort
}

extension TableChange {
  /// The change with a resolution that applies to every constraint.
  public func resolving(_ resolution: ConflictResolution) -> TableChange {
    switch self {
    case .insertion(let columns, let returned, _): .insertion(of: columns, returning: returned, resolution)
    case .update(let columns, let reset, let locators, let returned, _):
      .update(of: columns, resetting: reset, by: locators, returning: returned, resolution)
    case .insertions, .deletion, .deletions, .selection, .unlinking, .links: self
    }
  }
}

extension Table {
  /// Returns the statement of a shape.
  public func statement(_ change: TableChange, dialect: Dialect) -> Plan.Statement {
    let writer = dialect.writer
    return Plan.Statement(sql(change, writer), writer.parameterStyle)
  }

  /// Returns the statement that only converts a value to the type of a column; nil if the statement that writes it tells in
  /// its errors which value it can't convert.
  public func conversion(to name: String, dialect: Dialect) -> Plan.Statement? {
    let writer = dialect.writer
    guard let column = column(named: name), let value = writer.conversion(.parameter(0), to: column) else {
      return nil
    }
    return Plan.Statement("SELECT \(value)", writer.parameterStyle)
  }

  /// Parameters are untyped, as each is assigned to a column or compared with one.
  private func sql(_ change: TableChange, _ dialect: any SQLDialect) -> SQL {
    let table = reference
    switch change {
    case .insertion(let columns, let returned, let resolution):
      let parameters = columns.enumerated().map { written(.parameter($0), to: $1, dialect) }.joined(
        separator: ", ")
      let values: SQL =
        columns.isEmpty
        ? "DEFAULT VALUES" : "(\(Self.list(columns)))\(overriding(columns, dialect)) VALUES (\(parameters))"
      return "INSERT\(resolution.clause) INTO \(table) \(values)\(Self.returning(returned))"
    case .insertions(let rows, let returned):
      return insertion(of: rows, returning: returned, dialect)
    case .update(let columns, let reset, let locators, let returned, let resolution):
      let changes =
        columns.enumerated().map { number, column in
          "\(identifier: column.text) = \(written(.parameter(number), to: column, dialect))" as SQL
        }
        + reset.map { "\(identifier: $0.text) = \(dialect.defaultValue(of: column(named: $0.text)))" as SQL }
      return """
        UPDATE\(resolution.clause) \(table) SET \(changes.joined(separator: ", ")) \
        WHERE \(equalities(locators, from: columns.count))\(Self.returning(returned))
        """
    case .deletion(let columns):
      return "DELETE FROM \(table) WHERE \(equalities(columns))\(returningAny)"
    case .deletions(let columns, let count):
      let keys = (0..<count).map { "(\(equalities(columns, from: $0 * columns.count)))" as SQL }
      return "DELETE FROM \(table) WHERE \(keys.joined(separator: " OR ")) RETURNING \(Self.list(columns))"
    case .selection(let returned, let columns):
      return "SELECT \(Self.list(returned)) FROM \(table) WHERE \(equalities(columns))"
    case .unlinking(let references):
      return "DELETE FROM \(table) WHERE \(matches(references, dialect))\(returningAny)"
    case .links(let returned, let references):
      return "SELECT \(Self.list(returned)) FROM \(table) WHERE \(matches(references, dialect))"
    }
  }

  private func insertion(
    of rows: [[ExactName]], returning returned: [ExactName], _ dialect: any SQLDialect
  ) -> SQL {
    var columns: [ExactName] = []
    for column in rows.joined() where !columns.contains(column) { columns.append(column) }
    var number = 0
    let values = rows.map { row -> SQL in
      let start = number
      number += row.count
      let values = columns.map { column -> SQL in
        row.firstIndex(of: column).map { written(.parameter(start + $0), to: column, dialect) } ?? "DEFAULT"
      }
      return "(\(values.joined(separator: ", ")))"
    }
    return """
      INSERT INTO \(reference) (\(Self.list(columns)))\(overriding(columns, dialect)) VALUES \(values.joined(separator: ", "))\
      \(Self.returning(returned))
      """
  }

  /// Returns the clause with which the database takes values for columns that it numbers; empty without any.
  private func overriding(_ columns: [ExactName], _ dialect: any SQLDialect) -> SQL {
    columns.contains { column(named: $0.text)?.isIdentity ?? false } ? dialect.overridingIdentity : SQL()
  }

  /// Returns the condition that the referring columns match the parameters.
  private func matches(_ references: [ColumnReference], _ dialect: any SQLDialect) -> SQL {
    references.enumerated().map { dialect.matches($1, of: self, $0) }.joined(separator: " AND ")
  }

  /// Returns the value that is written to a column of this name.
  private func written(_ binding: SQL.Binding, to name: ExactName, _ dialect: any SQLDialect) -> SQL {
    column(named: name.text).map { dialect.written(binding, to: $0, of: self) } ?? "\(binding)"
  }

  private var returningAny: SQL { returnsColumns ? " RETURNING 1" : SQL() }

  private static func list(_ columns: [ExactName]) -> SQL {
    columns.map { "\(identifier: $0.text)" as SQL }.joined(separator: ", ")
  }

  private static func returning(_ columns: [ExactName]) -> SQL {
    columns.isEmpty ? SQL() : " RETURNING \(list(columns))"
  }

  private func equalities(_ columns: [ExactName], from number: Int = 0) -> SQL {
    // Without a column, a statement concerns no record rather than all.
    guard !columns.isEmpty else { return "FALSE" }
    return columns.enumerated().map { "\(keyColumn($1.text)) = \(.parameter(number + $0))" as SQL }
      .joined(separator: " AND ")
  }
}

extension ConflictResolution {
  /// The clause after `INSERT` or `UPDATE`.
  fileprivate var clause: SQL {
    switch self {
    case .schema: SQL()
    case .abort: " OR ABORT"
    }
  }
}
