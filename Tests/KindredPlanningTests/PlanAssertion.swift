import KindredSQLiteDialect
import KindredSQLSyntax
import OrderedCollections
import Testing

@testable import KindredModel
@testable import KindredPlanning

/// The library, as a schema without a database.
enum Library {
  static func model(_ dialect: Dialect) -> Model {
    // Only SQLite has a rowid.
    func table(
      _ name: String, _ columns: [String], indexes: [String],
      references: [(column: String, table: String)] = []
    ) -> Table {
      self.table(
        name, columns, indexes: indexes, references: references,
        hasRowID: dialect.writer.querySyntax == .sqlite)
    }
    return Model(
      inferredFrom: Schema(
        tables: [
          table("author", ["id", "name TEXT", "birthYear"], indexes: []),
          table(
            "book", ["id", "authorId", "title TEXT", "year"], indexes: ["authorId"],
            references: [("authorId", "author")]),
          // Nothing finds the reviews of a book.
          table("review", ["id", "bookId", "rating"], indexes: [], references: [("bookId", "book")]),
          table(
            "loan", ["id", "bookId", "memberId", "returnedOn TEXT"],
            indexes: ["bookId", "memberId", "returnedOn"], references: [("bookId", "book")]),
          table(
            "category", ["id", "name TEXT", "parentId"], indexes: ["parentId"],
            references: [("parentId", "category")]),
        ]))
  }

  /// The library as a client sees it who may read some books only.
  static func model(_ dialect: Dialect, booksWhere rule: String) throws -> Model {
    var model = model(dialect)
    var parser = try ExpressionParser(rule)
    let entry = AccessEntry(rows: try parser.parseExpression())
    model.hasAccess = true
    for name in model.resources.keys {
      model.resources[name]?.access = ResourceAccess([.read: [AccessEntry()]])
    }
    model.resources["books"]?.access = ResourceAccess([.read: [entry]])
    return model.seen(by: [])
  }

  /// - Parameter columns: names, each with its type where it is no integer; the first is the key.
  private static func table(
    _ name: String, _ columns: [String], indexes: [String], references: [(column: String, table: String)],
    hasRowID: Bool
  ) -> Table {
    Table(
      name: name, kind: .table,
      columns: columns.enumerated().map { number, column in
        let words = column.split(separator: " ").map(String.init)
        return Column(
          name: words[0], declaredType: words.count > 1 ? words[1] : "INTEGER", isNullable: number > 0)
      },
      primaryKey: [0], uniqueKeys: [[0]],
      indexes: (["id"] + indexes).map {
        // NULLs are the least values of SQLite, and the greatest of PostgreSQL.
        Index(columns: [$0], orders: [Index.Order(isDescending: false, nullsComeFirst: hasRowID)])
      },
      orderingIndexes: indexes.map { OrderingIndex(name: "\(name)_on_\($0)", column: $0) },
      foreignKeys: references.map {
        ForeignKey(columns: [$0.column], destination: $0.table, destinationColumns: ["id"])
      }, rowIDName: hasRowID ? "rowid" : nil, rowIDColumn: hasRowID ? "id" : nil)
  }
}

/// What a node of a request says, as URLs say it.
struct Node: Sendable {
  var key = ""
  /// The key of the association in the model, if the node has another one.
  var association: String?
  var isRequired = false
  var isIncluded = true
  var repetitions: Int?
  var fields: String?
  var annotate: String?
  var filter: String?
  var group: String?
  var having: String?
  var sort: String?
  var limit: Int64?
  var isDistinct = false
  var children: [Node] = []

  /// The node of the request, below a resource.
  fileprivate func requestNode(of resource: Resource, in model: Model, _ literals: inout Literals) throws
    -> RequestNode
  {
    func parser(_ text: String) throws -> ExpressionParser { try ExpressionParser(text) }
    // Nodes are told apart by where they are named.
    var node = RequestNode(
      key: key, association: nil, origin: key.isEmpty ? Origin() : Origin(parameter: "include.\(key)"))
    node.isRequired = isRequired
    node.isIncluded = isIncluded
    node.recursion = repetitions
    node.isDistinct = isDistinct
    if let annotate {
      var parser = try parser(annotate)
      node.annotations = try parser.parseNamedExpressions()
    }
    if let group {
      var parser = try parser(group)
      node.group = try parser.parseExpressions()
    }
    if let having {
      var parser = try parser(having)
      node.havings = [try parser.parseExpression()]
    }
    if let fields {
      var parser = try parser(fields)
      node.fields = try parser.parseFields()
    }
    if let filter {
      var parser = try parser(filter)
      node.filters = [try parser.parseExpression()]
    }
    if let sort {
      var parser = try parser(sort)
      node.sort = try parser.parseSort()
    }
    node.limit = limit.map { literals.number(of: .integer($0)) }
    node.children = try children.map { child in
      let association = try #require(resource.associations[child.association ?? child.key])
      var below = try child.requestNode(
        of: try #require(model.resources[association.destination]), in: model, &literals)
      below.association = association
      return below
    }
    return node
  }
}

extension Model {
  /// Returns the plan of a request.
  func plan(
    of resource: String, _ root: Node, on dialect: Dialect = .sqlite, after: Cursor? = nil,
    limits: PlanningLimits = .none, isCounted: Bool = false
  ) throws -> Plan {
    var request = try request(for: resource, root, after: after)
    request.count = isCounted
    return try Planner(model: self, dialect: dialect, limits: limits).plan(request)
  }

  /// Returns what a request means.
  fileprivate func meaning(of resource: String, _ root: Node, on dialect: Dialect) throws -> String {
    let request = try request(for: resource, root)
    let context = Planner(model: self, dialect: dialect).context(of: request)
    let resolved = try FetchRequestResolver(state: context.state).resolve(request)
    return resolved.text(literals: request.literals.values)
  }

  /// Returns the plan of a request before and after the strategy of the database has arranged its selects.
  func arrangement(
    of resource: String, _ root: Node, on dialect: Dialect
  ) throws -> (before: Plan, after: Plan) {
    let context = Planner(model: self, dialect: dialect).context(of: try request(for: resource, root))
    let request = try request(for: resource, root)
    let resolved = try FetchRequestResolver(state: context.state).resolve(request)
    let tree = try TreeBuilder(context).tree(of: resolved, for: request)
    var writer = PlanWriter(context.state)
    return (try writer.plan(of: tree), try writer.plan(of: context.state.strategy.arranged(tree)))
  }

  private func request(for resource: String, _ root: Node, after: Cursor? = nil) throws -> FetchRequest {
    var literals = Literals()
    let node = try root.requestNode(of: try #require(resources[resource]), in: self, &literals)
    var request = FetchRequest(path: RequestPath(resource: resource), root: node, literals: literals)
    request.page = after.map { .after($0) } ?? .first
    return request
  }
}

extension Plan {
  /// The statements in the order of the nodes: each behind its name, and how it is run where that isn't once for each
  /// record above.
  fileprivate func description(root: String) -> String {
    let lines = nodes.flatMap { node -> [String] in
      let name = node.name.isEmpty ? root : node.name
      let statement = "\(name)\(node.mergeJoin == nil ? "" : ", merge-joined"): \(node.statement.sql)"
      guard let batch = node.batch else { return [statement] }
      return ["\(name), by \(batch.link): \(batch.statement.sql)"]
    }
    return (transients.map { "transient: \($0.name)" } + lines).joined(separator: "\n")
  }
}

/// Expects the statements of a request.
///
/// - Parameter rule: The condition on the books that the client may read; nil for all.
func expectPlan(
  of resource: String, _ root: Node, after: Cursor? = nil, on dialect: Dialect = .sqlite,
  booksWhere rule: String? = nil, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let model = try rule.map { try Library.model(dialect, booksWhere: $0) } ?? Library.model(dialect)
  let plan = try model.plan(of: resource, root, on: dialect, after: after)
  #expect(plan.description(root: resource) == expected, sourceLocation: sourceLocation)
}

/// Expects what the names of a request mean.
func expectMeaning(
  of resource: String, _ root: Node, on dialect: Dialect = .sqlite, _ expected: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let meaning = try Library.model(dialect).meaning(of: resource, root, on: dialect)
  #expect(meaning == expected, sourceLocation: sourceLocation)
}

/// Expects the error of a request, which is found before there is any SQL.
func expectRefusal(
  of resource: String, _ root: Node, on dialect: Dialect = .sqlite, _ message: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let model = Library.model(dialect)
  let error = #expect(throws: RequestError.self, sourceLocation: sourceLocation) {
    try model.meaning(of: resource, root, on: dialect)
  }
  #expect(error?.message == message, sourceLocation: sourceLocation)
}

/// Expects what the strategy of a database makes of the last statement of a request; nil if that stays as it is.
func expectArrangement(
  of resource: String, _ root: Node, on dialect: Dialect = .sqlite, from plain: String, to arranged: String?,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  func last(_ plan: Plan) -> String {
    String(plan.description(root: resource).split(separator: "\n").last ?? "")
  }
  let plans = try Library.model(dialect).arrangement(of: resource, root, on: dialect)
  #expect(last(plans.before) == plain, sourceLocation: sourceLocation)
  #expect(last(plans.after) == arranged ?? plain, sourceLocation: sourceLocation)
}
