import KindredSQLSyntax

/// A record in a statement: what the names of an expression are looked up in.
final class Scope {
  let table: Table
  let resource: Resource
  let alias: String
  let select: SelectBuilder
  /// What the request says of these records.
  let node: RequestNode?
  /// The record that `../` leads to.
  let parent: Scope?
  /// The record of the join table that led here: the step before.
  var via: Scope?
  /// Whether a join may be added for a to-one path; in an `ON` clause it would come too late.
  var canJoin = true
  /// Whether the record is there in every row, and not behind an optional join.
  var isSolid = true
  /// Whether an aggregate of a group has a meaning in the expression at hand.
  var allowsGroupAggregates = false
  /// Where the record's node repeats below itself.
  var recursion: RecursionContext?
  /// Whether each row stands for a group of records.
  var isGrouped = false
  /// The to-one associations joined so far, by key.
  var joined: [String: Scope] = [:]
  /// The annotations being looked up, so that none speaks of itself.
  var resolving: Set<String> = []
  /// The annotations and fields of its node by their names; nil until one is looked up.
  var namedExpressions: [String: Expression]?
  /// Those that have been compiled, whether aggregates of a group had a meaning there, and what they expose.
  var compiledNames: [String: (expression: CompiledExpression, isGroup: Bool, exposure: Exposure)] = [:]
  /// The aggregates that default names stand for; nil until one is looked up.
  var defaultAggregates: [String: DefaultAggregate]?
  /// Aggregates of its associations that can also be had in groups.
  var groupedAggregates: [SQL: GroupedAggregate] = [:]
  /// Why `../` can't be used here, where it can't.
  var parentRefusal = "there is no record above this one"
  /// The columns of a record that is known.
  var constants: [String: SQLValue]?
  /// Not NULL where the record is there; nil where it always is.
  var presence: SQL?

  init(
    table: Table, resource: Resource, alias: String, select: SelectBuilder, node: RequestNode?,
    parent: Scope?
  ) {
    self.table = table
    self.resource = resource
    self.alias = alias
    self.select = select
    self.node = node
    self.parent = parent
  }

  var statement: StatementBuilder { select.statement }

  /// What expressions know it by.
  var record: RecordID { RecordID(alias: alias, depth: select.depth) }

  /// The same record where no join can be added.
  var withoutJoins: Scope {
    let scope = Scope(
      table: table, resource: resource, alias: alias, select: select, node: node, parent: parent)
    scope.via = via
    scope.canJoin = false
    scope.parentRefusal = parentRefusal
    return scope
  }

  /// A column of the record, in a statement that is its own or one below.
  func column(_ name: String, in statement: StatementBuilder) -> SQL {
    if let constants { return "\(.value(constants[name] ?? .null))" }
    let sql = SQL.column(record, name)
    guard self.statement !== statement else { return sql }
    let type = table.column(named: name).flatMap { statement.dialect.type(of: $0) }
    return export(sql, as: type, to: statement) { .column($0.record, name) }
  }

  /// An expression about the record, for a statement that is its own or one below.
  ///
  /// - Parameter expression: the same about another record of its table.
  func export(
    _ sql: SQL, as type: ValueType?, to statement: StatementBuilder,
    _ expression: @escaping (Scope) throws -> SQL
  ) -> SQL {
    if self.statement !== statement { recursion?.note(self.statement.column(sql), expression) }
    return self.statement.export(sql, as: type, to: statement)
  }

  /// The columns that tell a record from all others; all columns where there are none.
  var identityColumns: [Column] { table.identity.isEmpty ? table.columns : table.identity }

  /// The columns that an order ends with: the primary key, and what tells records apart that have the same, NULL;
  /// all columns where there is no key.
  var keyColumns: [Column] {
    let key = table.primaryKey.map { table.columns[$0] }
    return key.isEmpty ? table.columns : key + table.identity.filter { column in !key.contains(column) }
  }

  /// Whether the records are those of a table, each once, which its key finds again.
  var isPlainTable: Bool {
    guard case .table = table.kind, !table.pointerColumns.isEmpty else { return false }
    return select.plainRecord == record && !select.leavesOutByJoin
  }
}
