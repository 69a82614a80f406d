import KindredModel
import KindredPlanning
import KindredSQLSyntax
import OrderedCollections

/// Turns blueprints into requests of the engine, with foreign keys and primary keys taken from the schema.
struct BlueprintResolver {
  let schema: RequestSchema
  /// The tables of the database and the common table expressions.
  var model: Model
  /// The table whose columns unqualified names refer to.
  var table: TableSchema
  /// The names of the tables that aliases stand for.
  var aliasedTables: [RecordAlias: String]
  /// The common table expressions of the enclosing requests.
  private(set) var outerTables: [CommonTableBlueprint] = []
  /// The requests joined to the records of `table`.
  private(set) var joined: [AssociatedRequest] = []

  /// Creates a resolver for a request to a database.
  init(_ db: Database, _ blueprint: RequestBlueprint) throws {
    try self.init(RequestSchema(db), blueprint)
  }

  /// Creates a resolver for a request with its associated requests.
  init(_ schema: RequestSchema, _ blueprint: RequestBlueprint) throws {
    self.schema = schema
    model = schema.model
    table = TableSchema(name: blueprint.tableName, kind: .view, columns: [], primaryKey: [])
    aliasedTables = [:]
    collect(blueprint)
    try define(blueprint.allCommonTables)
    table = try table(blueprint.tableName)
  }

  /// Creates a resolver for expressions about the rows of a table that the schema needn't have.
  init(_ db: Database, of table: TableSchema) throws {
    schema = try RequestSchema(db)
    model = schema.model
    model.add(table)
    self.table = table
    aliasedTables = [:]
  }

  /// The open database.
  ///
  /// - Throws: The schema's error if the database is elsewhere.
  var db: Database { get throws { try schema.database("what a closure finds in the database") } }

  private mutating func collect(_ blueprint: RequestBlueprint) {
    for alias in blueprint.aliases { aliasedTables[alias.alias] = blueprint.tableName }
    for child in blueprint.children {
      for link in child.path.links { collect(link.blueprint) }
    }
    for link in blueprint.origin?.path.links.dropLast() ?? [] { collect(link.blueprint) }
  }

  /// Returns the table or common table expression with a name, ignoring case.
  ///
  /// - Throws: SQLite's `DatabaseError` if there is none.
  func table(_ name: String) throws -> TableSchema {
    if let table = model.table(named: name) { return table }
    throw try schema.missingTable(name)
  }

  /// Returns a condition for whether the record of an alias exists.
  func presence(of alias: RecordAlias) throws -> Expression {
    // The planner refuses an alias that stands for no table.
    let columns = try aliasedTables[alias].map { try table($0).presenceColumns } ?? ["rowid"]
    let tests = columns.map { name in
      let column = Expression(.program(.column(name)), at: Origin())
      return Expression(
        .isNull(Expression(.program(.of(alias, column)), at: Origin()), negated: true), at: Origin())
    }
    return tests.count == 1 ? tests[0] : Expression(.any(tests), at: Origin())
  }

  /// Returns a resolver whose unqualified names refer to another table.
  func resolver(for name: String) throws -> BlueprintResolver {
    var resolver = self
    resolver.table = try table(name)
    resolver.joined = []
    return resolver
  }

  /// Returns a resolver for a subquery, which knows the aliases and tables of this request.
  func subresolver(_ blueprint: RequestBlueprint) throws -> BlueprintResolver {
    var resolver = self
    resolver.collect(blueprint)
    try resolver.define(blueprint.allCommonTables)
    resolver.table = try resolver.table(blueprint.tableName)
    resolver.joined = []
    return resolver
  }

  // MARK: Requests

  /// Returns the engine's request for a blueprint.
  func request(_ blueprint: RequestBlueprint) throws -> KindredModel.FetchRequest {
    guard let origin = blueprint.origin else {
      return KindredModel.FetchRequest(
        path: RequestPath(resource: table.name), root: try node(blueprint, key: ""))
    }
    if let failure = origin.failure { throw failure }
    var path = origin.path
    path.destination.blueprint = blueprint
    path.destination.blueprint.origin = nil
    let start = try resolver(for: path.originTableName)
    let node = try start.node(path, key: "")
    var request = KindredModel.FetchRequest(
      path: RequestPath(resource: table.name), root: node)
    let steps = node.association?.steps ?? []
    request.origin = try origin.columns(steps.first?.originColumns ?? [], table: path.originTableName)
    return request
  }

  /// Returns the engine's node for a blueprint of the records of `table`.
  func node(_ blueprint: RequestBlueprint, key: String) throws -> RequestNode {
    if let failure = blueprint.failure { throw failure }
    var node = RequestNode(key: key)
    node.rows.commonTables = try blueprint.commonTables.with(outer: outerTables).map { try $0.resolved(self) }
    var resolver = self
    resolver.outerTables += blueprint.commonTables
    resolver.joined = blueprint.children.filter { !$0.isPrefetched }
    try resolver.addParts(of: blueprint, to: &node)
    return node
  }

  /// Adds what a blueprint says about the records to a node.
  private func addParts(of blueprint: RequestBlueprint, to node: inout RequestNode) throws {
    node.fields = try (blueprint.selection ?? blueprint.defaultSelection).flatMap(fields)
    node.annotations = try blueprint.annotations.flatMap(columns)
    node.filters = try blueprint.filters.map(expression)
    node.sort = try terms(of: blueprint)
    node.group = try blueprint.group.map(expression)
    if blueprint.groupsByPrimaryKey || blueprint.hidesRepetitions && !schema.isElsewhere {
      node.group += try self.key.map(expression)
    }
    node.havings = try blueprint.havings.map(expression)
    node.isDistinct = blueprint.isDistinct
    node.rows.aliases = blueprint.aliases.map(\.alias)
    node.rows.limit = blueprint.limit.map { .value(.integer(Int64($0))) }
    node.rows.offset = blueprint.offset.flatMap { $0 == 0 ? nil : .value(.integer(Int64($0))) }
    node.children = try blueprint.children.map(childNode)
    // Joined records contribute to the order of the rows, so theirs is reversed too.
    if blueprint.ordering.isReversed { node.reverseJoined() }
  }

  private func childNode(_ child: AssociatedRequest) throws -> RequestNode {
    var node = try node(child.path, key: child.key)
    switch child.inclusion {
    case .joined(let isRequired, let isIncluded):
      node.isRequired = isRequired
      node.isIncluded = isIncluded
    case .prefetched:
      node.rows.isPrefetched = true
    }
    return node
  }

  /// Returns the node of the records that a path leads to from the records of `table`.
  func node(_ path: AssociationPath, key: String) throws -> RequestNode {
    var origin = self
    var steps: [AssociationStep] = []
    var nodes: [RequestNode] = []
    for link in path.links {
      let destination = try origin.resolver(for: link.blueprint.tableName)
      var node = try destination.node(link.blueprint, key: link.key.joined)
      steps.append(try origin.step(link, to: destination, node: &node))
      nodes.append(node)
      origin = destination
    }
    var node = nodes.removeLast()
    node.key = key
    node.rows.pivots = nodes
    node.association = KindredModel.Association(
      key: key, cardinality: path.links.allSatisfy(\.isToOne) ? .toOne : .toMany, steps: steps,
      destination: origin.table.name)
    return node
  }

  private func step(
    _ link: AssociationLink, to destination: BlueprintResolver, node: inout RequestNode
  ) throws -> AssociationStep {
    var step = AssociationStep(
      origin: table.name, destination: destination.table.name, originColumns: [], destinationColumns: [],
      direction: .has, isToOne: link.isToOne)
    switch link.condition {
    case .belongsTo(let key):
      let columns = try table.reference(to: destination.table, using: key)
      (step.originColumns, step.destinationColumns) = (columns.origin, columns.destination)
      step.direction = .belongsTo
    case .has(let key):
      let columns = try destination.table.reference(to: table, using: key)
      (step.originColumns, step.destinationColumns) = (columns.destination, columns.origin)
    case .on(let rules):
      let (left, right) = (RecordAlias(name: nil), RecordAlias(name: nil))
      let conditions = try rules.map { rule in
        try rule.condition(left, right).map { try destination.expression($0) }
      }
      guard conditions.allSatisfy({ $0 == conditions[0] }) else {
        throw AssociationError.ambiguousKey(link.key.joined)
      }
      guard let condition = conditions.first ?? nil else { break }
      node.rows.originAliases.append(left)
      node.rows.aliases.append(right)
      node.filters.append(condition)
    }
    return step
  }

  // MARK: Parts

  /// Returns the engine's expression, evaluated for the records of `table`.
  func expression(_ expression: SQLExpression) throws -> Expression {
    switch expression.form {
    case .known(let known): known
    case .deferred(let resolve): try resolve(self)
    case .joined(let joining, let operands):
      Expression(joining.conjunction(try operands.map(self.expression)), at: Origin())
    }
  }

  /// The columns of the primary key, or the rowid.
  private var key: [SQLExpression] { table.orderedKey.map { Column($0).sqlExpression } }

  private func terms(of blueprint: RequestBlueprint) throws -> [SortTerm] {
    let ordering = blueprint.ordering
    let key = ordering.byPrimaryKey || ordering.isStable ? self.key.map(\.sqlOrdering) : []
    let terms = ordering.byPrimaryKey ? key : ordering.terms + key
    return try terms.map { term in
      let term = ordering.isReversed ? term.reversed() : term
      return SortTerm(
        try expression(term.expression), isDescending: term.isDescending, nulls: term.nulls)
    }
  }
}

extension RequestOrigin {
  /// Returns the record's values of the columns that the association starts from.
  fileprivate func columns(_ names: [String], table: String) throws -> [String: SQLText.Binding] {
    try names.reduce(into: [:]) { columns, name in
      guard
        let value = values[name] ?? values.first(where: { $0.key.equalsIgnoringCase(name) })?.value
      else { throw AssociationError.missingColumn(name, table: table) }
      columns[name] = .value(value)
    }
  }
}

extension TableSchema {
  /// The columns of the primary key, or else the rowid.
  var orderedKey: [String] {
    primaryKey.isEmpty ? rowIDName.map { [$0] } ?? [] : primaryKey.map { columns[$0].name }
  }

  /// Columns of which at least one is not NULL in every row of the table.
  ///
  /// The rowid is used only if a column aliases it, because SQLite can't resolve it in a parenthesized join. A
  /// primary key may contain NULL (<https://www.sqlite.org/lang_createtable.html#the_primary_key>), so it is not
  /// used by itself.
  fileprivate var presenceColumns: [String] {
    let rowID = declaredColumns.first { $0.name == rowIDColumn }
    if let column = rowID ?? declaredColumns.first(where: { !$0.isNullable }) { return [column.name] }
    return declaredColumns.isEmpty ? ["rowid"] : declaredColumns.map(\.name)
  }
}

extension RequestNode {
  /// Reverses the order of all records that are joined to this one.
  fileprivate mutating func reverseJoined() {
    for index in children.indices where !children[index].rows.isPrefetched {
      children[index].sort = children[index].sort?.map(\.reversed)
      children[index].reverseJoined()
    }
  }
}

extension SortTerm {
  fileprivate var reversed: SortTerm {
    var term = self
    term.isDescending.toggle()
    term.nulls = nulls.map { $0 == .first ? .last : .first }
    return term
  }
}
