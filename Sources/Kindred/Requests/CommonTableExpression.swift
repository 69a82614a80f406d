import KindredModel

/// A table that is defined by a request and exists only for it: `WITH name AS (…)`.
///
///     let cte = CommonTableExpression(named: "french", request: Author.filter(Column("country") == "France"))
///     let request = Book.with(cte).joining(required: Book.association(to: cte) { book, author in
///       book[Column("authorId")] == author[Column("id")]
///     })
public struct CommonTableExpression<RowDecoder>: Sendable {
  let blueprint: CommonTableBlueprint

  /// The name of the table.
  public var tableName: String { blueprint.name }

  /// Creates a table of the rows of a request.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the request.
  ///   - request: The request that the rows come from.
  public init(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil,
    request: QueryInterfaceRequest<RowDecoder>
  ) {
    blueprint = CommonTableBlueprint(name: name, columns: columns, definition: .request(request.blueprint))
  }

  /// Creates a table of the rows of a request of another type.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the request.
  ///   - request: The request that the rows come from.
  @_disfavoredOverload
  public init<Other>(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil,
    request: QueryInterfaceRequest<Other>
  ) {
    blueprint = CommonTableBlueprint(name: name, columns: columns, definition: .request(request.blueprint))
  }

  /// Creates a table of the rows of an SQL request, which may refer to the table itself recursively.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the request.
  ///   - request: The request that the rows come from.
  public init(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil,
    request: SQLRequest<RowDecoder>
  ) {
    self.init(named: name, columns: columns, literal: request.sqlLiteral)
  }

  /// Creates a table of the rows of an SQL request of another type, which may refer to the table itself recursively.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the request.
  ///   - request: The request that the rows come from.
  @_disfavoredOverload
  public init<Other>(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil,
    request: SQLRequest<Other>
  ) {
    self.init(named: name, columns: columns, literal: request.sqlLiteral)
  }

  /// Creates a table of the rows of an SQL statement, which may refer to the table itself recursively.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the statement.
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters.
  ///   - type: The type that its rows are decoded into.
  public init(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil, sql: String,
    arguments: StatementArguments = StatementArguments(), as type: RowDecoder.Type = RowDecoder.self
  ) {
    self.init(named: name, columns: columns, literal: SQLLiteral(sql: sql, arguments: arguments), as: type)
  }

  /// Creates a table of the rows of an SQL statement, which may refer to the table itself recursively.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the statement.
  ///   - literal: The statement, with its values.
  ///   - type: The type that its rows are decoded into.
  public init(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil, literal: SQLLiteral,
    as type: RowDecoder.Type = RowDecoder.self
  ) {
    blueprint = CommonTableBlueprint(name: name, columns: columns, definition: .literal(literal))
  }

  /// Returns a request of all rows of the table.
  ///
  /// It defines the table itself, so it needs no `with(_:)`.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    var request = RequestBlueprint(tableName: blueprint.name, defaultSelection: [AllColumns().sqlSelection])
    request.commonTables = [blueprint]
    return QueryInterfaceRequest(blueprint: request)
  }

  /// Returns an association from the rows of this table to the records of another.
  ///
  /// - Parameters:
  ///   - destination: The type of the records.
  ///   - condition: Returns the condition by which two rows belong together; `nil` pairs every row with every
  ///     other.
  public func association<Destination: TableRecord>(
    to destination: Destination.Type,
    on condition: JoinCondition<RowDecoder, Destination>? = nil
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(RequestBlueprint(destination), on: condition)
  }

  /// Returns an association from the rows of this table to those of another common table expression; without a
  /// condition, it pairs every row with every other.
  public func association<Destination>(
    to destination: CommonTableExpression<Destination>,
    on condition: JoinCondition<RowDecoder, Destination>? = nil
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(destination.all().blueprint, on: condition)
  }
}

extension CommonTableExpression where RowDecoder == Row {
  /// Creates a table of the rows of an SQL statement, which may refer to the table itself recursively.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the statement.
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters.
  public init(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil, sql: String,
    arguments: StatementArguments = StatementArguments()
  ) {
    self.init(named: name, columns: columns, sql: sql, arguments: arguments, as: Row.self)
  }

  /// Creates a table of the rows of an SQL statement, which may refer to the table itself recursively.
  ///
  /// - Parameters:
  ///   - isRecursive: Ignored, because SQLite finds out by itself.
  ///   - name: The name of the table.
  ///   - columns: The names of its columns; if `nil` or empty, those of the statement.
  ///   - literal: The statement, with its values.
  public init(
    recursive isRecursive: Bool = false, named name: String, columns: [String]? = nil, literal: SQLLiteral
  ) {
    self.init(named: name, columns: columns, literal: literal, as: Row.self)
  }
}

/// Returns the condition by which two rows belong together; `nil` pairs every row with every other.
public typealias JoinCondition<Origin, Destination> =
  @Sendable (_ left: TableAlias<Origin>, _ right: TableAlias<Destination>) -> (any SQLSpecificExpressible)?

extension TableRecord {
  /// Returns an association from these records to the rows of a common table expression.
  ///
  /// - Parameters:
  ///   - destination: The common table expression.
  ///   - condition: Returns the condition by which two rows belong together; `nil` pairs every row with every
  ///     other.
  public static func association<Destination>(
    to destination: CommonTableExpression<Destination>,
    on condition: JoinCondition<Self, Destination>? = nil
  ) -> JoinAssociation<Self, Destination> {
    JoinAssociation(destination.all().blueprint, on: condition)
  }
}

/// The definition of a common table expression.
struct CommonTableBlueprint: Sendable {
  enum Definition: Sendable {
    case request(RequestBlueprint)
    case literal(SQLLiteral)
  }

  var name: String
  /// The names of the columns; nil for those of the definition.
  var columns: [String]?
  var definition: Definition

  init(name: String, columns: [String]?, definition: Definition) {
    self.name = name
    self.columns = columns?.isEmpty == false ? columns : nil
    self.definition = definition
  }

  func resolved(_ resolver: BlueprintResolver) throws -> CommonTable {
    switch definition {
    case .request(let blueprint):
      let request = try resolver.subresolver(blueprint).request(blueprint)
      return CommonTable(name: name, columns: columns, definition: .request(request))
    case .literal(let literal):
      let expression = try resolver.expression(literal.sqlExpression)
      // An operand would be put in parentheses, which a statement must not be in.
      guard case .program(.raw(let parts)) = expression.kind else {
        return CommonTable(name: name, columns: columns, definition: .raw([.expression(expression)]))
      }
      return CommonTable(name: name, columns: columns, definition: .raw(parts))
    }
  }
}
