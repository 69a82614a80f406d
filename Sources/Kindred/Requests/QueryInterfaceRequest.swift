import KindredModel
import KindredPlanning
import KindredSQLiteDialect
import KindredSQLiteBackend
import KindredSQLSyntax

/// A request of the records of a table, built with Swift methods instead of SQL.
///
///     let request = Book.filter(Column("year") > 1850).including(required: Book.author)
///
/// It is a value, and nothing is read until it is fetched.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  /// How the records are selected, filtered and ordered.
  public var blueprint: RequestBlueprint

  init(blueprint: RequestBlueprint) {
    self.blueprint = blueprint
  }

  /// Returns the same request with rows that are decoded into another type.
  public func asRequest<Other>(of type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
    QueryInterfaceRequest<Other>(blueprint: blueprint)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    _ selection: [any SQLSelectable], as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(selection).asRequest(of: type)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    _ selection: any SQLSelectable..., as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(selection).asRequest(of: type)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(sql: sql, arguments: arguments).asRequest(of: type)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    literal: SQLLiteral, as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(literal: literal).asRequest(of: type)
  }
}

extension QueryInterfaceRequest: DerivableRequest {}

extension QueryInterfaceRequest: FetchRequest {
  /// Returns the statement of the records with its arguments bound.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func prepare(_ db: Database) throws -> (Statement, (any RowAdapter)?) {
    let prepared = try prepareRequest(db, isForSingleRow: false)
    return (prepared.statement, prepared.layout.map(LayoutAdapter.init))
  }

  /// Returns the statement of the records together with those of its collections.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    let shape = RequestShape(of: blueprint, isForSingleRow: isForSingleRow)
    guard shape.isComplete else {
      let plan = try Self.plan(blueprint, isForSingleRow: isForSingleRow, db)
      return try PlannedRequest(PlannedShape(plan, on: db), values: [], on: db).prepared()
    }
    let version = try db.schemaVersion
    let cache = db.recordStatements(version).plans
    if case .planned(let known) = cache.entry(shape.bytes, version) {
      return try PlannedRequest(known, values: shape.values, on: db).prepared()
    }
    let plan = try Self.plan(blueprint, isForSingleRow: isForSingleRow, db)
    let planned = try PlannedShape(plan, on: db)
    if cache.entry(shape.bytes, version) == nil {
      cache.keep(
        try Self.entry(for: planned, plan, blueprint, isForSingleRow: isForSingleRow, db), shape.bytes,
        version)
    }
    return try PlannedRequest(planned, values: [], on: db).prepared()
  }

  /// Returns what is known of the shape of a request.
  ///
  /// Whether the statements of a plan are the same for other values is found out by planning it with marks.
  private static func entry(
    for planned: PlannedShape, _ plan: Plan, _ blueprint: RequestBlueprint, isForSingleRow: Bool,
    _ db: Database
  ) throws -> RequestPlanCache.Entry {
    var marks = ValueMarks()
    let marked = try Self.plan(marks.marked(blueprint), isForSingleRow: isForSingleRow, db)
    guard marked.transients == plan.transients, marked.unnumberedSQL == plan.unnumberedSQL else {
      return .dependsOnValues
    }
    return .planned(marks.isEmpty ? planned : try PlannedShape(marked, on: db))
  }

  private static func plan(_ blueprint: RequestBlueprint, isForSingleRow: Bool, _ db: Database) throws -> Plan
  {
    let resolver = try RequestResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    // Without a limit, SQLite would sort all rows to return the first.
    if isForSingleRow { request.root.rows.limit = min(request.root.rows.limit ?? 1, 1) }
    return try Planner(model: resolver.model, dialect: .sqlite).planRows(request)
  }

  /// Returns the number of rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int {
    let resolver = try RequestResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    request.count = true
    let plan = try Planner(model: resolver.model, dialect: .sqlite).planRows(request)
    guard let count = plan.count else { return 0 }
    try db.prepareTransients(of: plan)
    let statement = try db.makeSelectStatement(sql: count.sql)
    statement.arguments = try StatementArguments(count.bindings)
    return try Int.fetchOne(statement) ?? 0
  }

  /// Returns the tables and columns that the statements of the records and of their collections read.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let plan = try plan(db)
    try db.prepareTransients(of: plan)
    return try db.region(of: plan.nodes.map(\.statement.sql) + plan.transients.map(\.fill))
  }

  /// Returns whether there are no rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func isEmpty(_ db: Database) throws -> Bool {
    try Row.fetchOne(db, self) == nil
  }

  /// Returns the plan of the request's statements.
  func plan(_ db: Database) throws -> Plan {
    let resolver = try RequestResolver(db, blueprint)
    return try Planner(model: resolver.model, dialect: .sqlite).planRows(resolver.request(blueprint))
  }
}

extension Plan {
  /// The texts of the statements without the numbers of their parameters, of which equal values share one.
  fileprivate var unnumberedSQL: [String] {
    nodes.flatMap { [$0.statement.sql] + ($0.batch.map { [$0.statement.sql] } ?? []) }.map { sql in
      var (text, follows) = ("", false)
      for character in sql.unicodeScalars {
        if follows, ("0"..."9").contains(character) { continue }
        follows = character == "?"
        text.unicodeScalars.append(character)
      }
      return text
    }
  }
}

/// An adapter that gives the rows of a statement the layout of its request.
private struct LayoutAdapter: RowAdapter {
  let layout: RowLayout

  func adapt(_ layout: RowLayout) -> RowLayout { self.layout }
}
