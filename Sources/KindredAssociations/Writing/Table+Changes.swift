import KindredSQLSyntax

/// The statements that change the records of a table. Their values are parameters, in the order of the columns.
extension Table {
  /// A new record; the columns that are left out take their defaults.
  ///
  ///     INSERT INTO table (columns) VALUES (…) RETURNING returned
  public func insertion(of columns: [String], returning returned: [String]) -> Plan.Statement {
    let values: SQL =
      columns.isEmpty
      ? "DEFAULT VALUES"
      : "(\(Self.list(columns))) VALUES (\(columns.indices.map { "\(.parameter($0))" as SQL }.joined(separator: ", ")))"
    return Plan.Statement("INSERT INTO \(identifier: name) \(values) RETURNING \(Self.list(returned))")
  }

  /// Other values of one record, which `pointerColumns` find.
  ///
  ///     UPDATE table SET columns = …, reset = default WHERE pointers = … RETURNING returned
  ///
  /// - Parameter reset: the columns that take their defaults again.
  public func update(of columns: [String], resetting reset: [Column], returning returned: [String])
    -> Plan.Statement
  {
    let changes: [SQL] =
      columns.enumerated().map { "\(identifier: $1) = \(.parameter($0))" }
      + reset.map { "\(identifier: $0.name) = \($0.defaultValue ?? "NULL")" }
    return Plan.Statement(
      """
      UPDATE \(identifier: name) SET \(changes.joined(separator: ", ")) \
      WHERE \(Self.equalities(pointerColumns, from: columns.count)) RETURNING \(Self.list(returned))
      """)
  }

  /// The end of the records with given values in these columns.
  ///
  ///     DELETE FROM table WHERE columns = …
  public func deletion(by columns: [String]) -> Plan.Statement {
    Plan.Statement("DELETE FROM \(identifier: name) WHERE \(Self.equalities(columns))")
  }

  /// Columns of the records with given values in others.
  ///
  ///     SELECT returned FROM table WHERE columns = …
  public func selection(of returned: [String], by columns: [String]) -> Plan.Statement {
    Plan.Statement(
      "SELECT \(Self.list(returned)) FROM \(identifier: name) WHERE \(Self.equalities(columns))")
  }

  private static func list(_ columns: [String]) -> SQL {
    columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
  }

  private static func equalities(_ columns: [String], from number: Int = 0) -> SQL {
    columns.enumerated().map { "\(identifier: $1) = \(.parameter(number + $0))" as SQL }
      .joined(separator: " AND ")
  }
}
