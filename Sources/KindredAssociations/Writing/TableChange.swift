import KindredSQLSyntax

/// The shape of a statement that changes records of one table, or finds them for a change.
///
/// Its values are parameters, in the order of the columns: one shape is one prepared statement.
public enum TableChange: Hashable, Sendable {
  /// A new record; the columns that are left out take their defaults.
  ///
  ///     INSERT INTO table (columns) VALUES (…) RETURNING returned
  case insertion(of: [String], returning: [String])
  /// Other values of one record, which `Table.locatorColumns` find; `resetting` names the columns that take their
  /// defaults again.
  ///
  ///     UPDATE table SET columns = …, reset = default WHERE locators = … RETURNING returned
  case update(of: [String], resetting: [String], returning: [String])
  /// The end of the records with given values in these columns.
  ///
  ///     DELETE FROM table WHERE columns = … RETURNING 1
  case deletion(by: [String])
  /// Columns of the records with given values in others.
  ///
  ///     SELECT columns FROM table WHERE columns = …
  case selection(of: [String], by: [String])
}

extension Table {
  /// The columns that find a record for a change: the rowid where there is one, else the key.
  public var locatorColumns: [String] {
    pointerColumns.isEmpty ? primaryKey.map { columns[$0].name } : pointerColumns
  }

  /// The statement of this shape.
  public func statement(_ change: TableChange) -> Plan.Statement {
    switch change {
    case .insertion(let columns, let returned):
      let parameters = columns.indices.map { "\(.parameter($0))" as SQL }.joined(separator: ", ")
      let values: SQL =
        columns.isEmpty ? "DEFAULT VALUES" : "(\(Self.list(columns))) VALUES (\(parameters))"
      return Plan.Statement("INSERT INTO \(identifier: name) \(values)\(Self.returning(returned))")
    case .update(let columns, let reset, let returned):
      let changes =
        columns.enumerated().map { "\(identifier: $1) = \(.parameter($0))" as SQL }
        + reset.map { "\(identifier: $0) = \(column(named: $0)?.defaultValue ?? "NULL")" as SQL }
      return Plan.Statement(
        """
        UPDATE \(identifier: name) SET \(changes.joined(separator: ", ")) \
        WHERE \(Self.equalities(locatorColumns, from: columns.count))\(Self.returning(returned))
        """)
    case .deletion(let columns):
      return Plan.Statement(
        "DELETE FROM \(identifier: name) WHERE \(Self.equalities(columns)) RETURNING 1")
    case .selection(let returned, let columns):
      return Plan.Statement(
        "SELECT \(Self.list(returned)) FROM \(identifier: name) WHERE \(Self.equalities(columns))")
    }
  }

  private static func list(_ columns: [String]) -> SQL {
    columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
  }

  private static func returning(_ columns: [String]) -> SQL {
    columns.isEmpty ? SQL() : " RETURNING \(list(columns))"
  }

  private static func equalities(_ columns: [String], from number: Int = 0) -> SQL {
    columns.enumerated().map { "\(identifier: $1) = \(.parameter(number + $0))" as SQL }
      .joined(separator: " AND ")
  }
}
