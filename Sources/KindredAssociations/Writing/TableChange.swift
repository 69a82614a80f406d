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
  /// The end of the records that refer to given ones.
  ///
  ///     DELETE FROM table WHERE references = … RETURNING 1
  case unlinking([ColumnReference])
  /// Columns of the records that refer to given ones.
  ///
  ///     SELECT columns FROM table WHERE references = …
  case links(of: [String], [ColumnReference])
}

extension Table {
  /// The columns that find a record for a change: the rowid where there is one, else the key.
  public var locatorColumns: [String] {
    pointerColumns.isEmpty ? primaryKey.map { columns[$0].name } : pointerColumns
  }

  /// The statement of this shape.
  ///
  /// - Parameter dialect: the SQL that the database takes.
  public func statement(_ change: TableChange, dialect: Dialect = .sqlite) -> Plan.Statement {
    let writer = dialect.writer
    return Plan.Statement(sql(change, writer), writer.parameterStyle)
  }

  /// Each parameter has the type of the column that it stands beside.
  private func sql(_ change: TableChange, _ dialect: any SQLDialect) -> SQL {
    let table = reference
    switch change {
    case .insertion(let columns, let returned):
      let parameters = columns.indices.map { "\(.parameter($0))" as SQL }.joined(separator: ", ")
      let values: SQL =
        columns.isEmpty ? "DEFAULT VALUES" : "(\(Self.list(columns))) VALUES (\(parameters))"
      return "INSERT INTO \(table) \(values)\(Self.returning(returned))"
    case .update(let columns, let reset, let returned):
      let changes =
        columns.enumerated().map { "\(identifier: $1) = \(.parameter($0))" as SQL }
        + reset.map { "\(identifier: $0) = \(dialect.defaultValue(of: column(named: $0)))" as SQL }
      return """
        UPDATE \(table) SET \(changes.joined(separator: ", ")) \
        WHERE \(Self.equalities(locatorColumns, from: columns.count))\(Self.returning(returned))
        """
    case .deletion(let columns):
      return "DELETE FROM \(table) WHERE \(Self.equalities(columns)) RETURNING 1"
    case .selection(let returned, let columns):
      return "SELECT \(Self.list(returned)) FROM \(table) WHERE \(Self.equalities(columns))"
    case .unlinking(let references):
      return "DELETE FROM \(table) WHERE \(matches(references, dialect)) RETURNING 1"
    case .links(let returned, let references):
      return "SELECT \(Self.list(returned)) FROM \(table) WHERE \(matches(references, dialect))"
    }
  }

  /// The table's name, with its schema where it has one.
  private var reference: SQL {
    schema.map { "\(identifier: $0).\(identifier: name)" } ?? "\(identifier: name)"
  }

  /// That columns refer to the values of the parameters.
  private func matches(_ references: [ColumnReference], _ dialect: any SQLDialect) -> SQL {
    references.enumerated().map { number, reference -> SQL in
      let column: SQL = "\(identifier: reference.column)"
      guard dialect.hasAffinities, !reference.isPlain else { return "\(column) = \(.parameter(number))" }
      let collation: SQL = "COLLATE \(identifier: reference.collation)"
      guard !reference.hasOneAffinity else { return "\(column) \(collation) = \(.parameter(number))" }
      // A bound value has no affinity; a column that holds it has, in a subquery too.
      let referred: SQL = "\(identifier: reference.table).\(identifier: reference.referred)"
      return
        "(SELECT \(referred) FROM \(identifier: reference.table) WHERE \(referred) = \(.parameter(number))) \(collation) = +\(identifier: name).\(column)"
    }.joined(separator: " AND ")
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
