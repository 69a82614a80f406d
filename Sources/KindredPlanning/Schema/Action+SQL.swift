import KindredModel
import KindredSQLSyntax

extension ActionStatement {
  /// Returns the statement, in which each parameter is bound to the literal of its number.
  package func sql(_ parameters: [ActionParameter], _ dialect: any SQLDialect) -> SQL {
    parts.map { part -> SQL in
      switch part {
      case .text(let text): SQL(trusted: text)
      case .parameter(let number):
        parameters[number].kind.ofQueries.map { dialect.parameter(.parameter(number), of: $0) }
          ?? dialect.json(.parameter(number))
      }
    }.joined(separator: SQL())
  }

  /// Returns the text of the statement, as the database prepares it.
  package func text(_ parameters: [ActionParameter], in dialect: Dialect) -> String {
    sql(parameters, dialect.writer).rendered(dialect.writer.parameterStyle).text
  }

  /// Returns the statement with its rows in another form.
  ///
  ///     WITH …, rows(c0, c1) AS (statement) SELECT shown columns FROM rows
  ///
  /// A statement that changes records stands in the outermost `WITH` only.
  fileprivate func sql(_ parameters: [ActionParameter], shown: [SQL], names: [SQL], _ dialect: any SQLDialect)
    -> SQL
  {
    let rows: SQL = "\(identifier: "kindred:rows")"
    let list = names.joined(separator: ", ")
    let end: SQL = "SELECT \(shown.joined(separator: ", ")) FROM \(rows)"
    guard words.first == "with", let split = splitAtMainStatement(dialect.querySyntax) else {
      return "WITH \(rows)(\(list)) AS (\(sql(parameters, dialect))) \(end)"
    }
    let (with, main) = (split.with.sql(parameters, dialect), split.main.sql(parameters, dialect))
    return "\(with), \(rows)(\(list)) AS (\(main)) \(end)"
  }
}

extension Action {
  /// The number of the statement whose rows are the answer, and its text, as the plan of a list or of one record.
  package func plan(in dialect: Dialect) -> Plan? {
    guard let returning else { return nil }
    let writer = dialect.writer
    let statement = statements[returning]
    let names = columns.indices.map { "\(identifier: "c\($0)")" as SQL }
    let shown = zip(columns, names).map { column, name in
      writer.shown(CompiledExpression(sql: name, format: column.valueFormat, type: writer.type(of: column)))
    }
    let isPlain = zip(shown, names).allSatisfy { $0.sql == $1 }
    let sql =
      isPlain
      ? statement.sql(parameters, writer)
      : statement.sql(parameters, shown: shown.map(\.sql), names: names, writer)
    let members = columns.enumerated().map { number, column in
      RecordShape.Member(name: column.name, shape: .value(column: number, shown[number].format))
    }
    var plan = Plan()
    plan.isSingle = isSingle
    plan.absence = "`\(name)` gives no row"
    plan.isTimeless = false
    plan.nodes = [
      Plan.Node(
        statement: Plan.Statement(sql, writer.parameterStyle), shape: .object(members), isToMany: !isSingle,
        level: 0, name: "")
    ]
    return plan
  }

  /// Returns a statement as the database runs it, with the literals of the parameters.
  package func statement(_ number: Int, in dialect: Dialect) -> Plan.Statement {
    Plan.Statement(statements[number].sql(parameters, dialect.writer), dialect.writer.parameterStyle)
  }
}
