import KindredSQLSyntax

/// A record in a statement: what expressions about it are compiled for.
final class Scope {
  /// What the names of the expressions are looked up in.
  let names: ResolutionScope
  let table: Table
  let alias: String
  let select: SelectBuilder
  /// The record that `../` leads to.
  let parent: Scope?
  /// The record of the join table that led here: the step before.
  let via: Scope?
  /// Whether a join may be added for a to-one path; in an `ON` clause it would come too late.
  let canJoin: Bool
  /// Whether the record is there in every row, and not behind an optional join.
  let isSolid: Bool
  /// Not NULL where the record is there; nil where it always is.
  let presence: SQL?
  /// The columns of a record that is known.
  let constants: [String: SQLValue]?
  /// Where the record's node repeats below itself.
  var recursion: RecursionContext?
  /// Aggregates of its associations that can also be had in groups.
  var groupedAggregates: [SQL: GroupedAggregate] = [:]

  init(
    _ names: ResolutionScope, table: Table, alias: String, select: SelectBuilder, parent: Scope?,
    via: Scope? = nil, canJoin: Bool = true, isSolid: Bool = true, presence: SQL? = nil,
    constants: [String: SQLValue]? = nil
  ) {
    self.names = names
    self.table = table
    self.alias = alias
    self.select = select
    self.parent = parent
    self.via = via
    self.canJoin = canJoin
    self.isSolid = isSolid
    self.presence = presence
    self.constants = constants
  }

  /// What clients may see of the table.
  var resource: Resource { names.resource }
  /// What the request says about these records.
  var node: RequestNode? { names.node }
  var statement: StatementBuilder { select.statement }

  /// What expressions know it by.
  var record: RecordID { RecordID(alias: alias, depth: select.depth) }

  /// The same record where no join can be added.
  var withoutJoins: Scope {
    Scope(names, table: table, alias: alias, select: select, parent: parent, via: via, canJoin: false)
  }

  /// The same record with nothing above it.
  var asRoot: Scope {
    let names = ResolutionScope(resource: names.resource, node: names.node, parent: nil, via: names.via)
    return Scope(names, table: table, alias: alias, select: select, parent: nil, via: via)
  }

  /// A column of the record, in a statement that is its own or one below.
  func column(_ name: String, in statement: StatementBuilder) -> SQL {
    if let constants { return "\(.value(constants[name] ?? .null))" }
    let sql = SQL.column(record, name)
    guard self.statement !== statement else { return sql }
    let type = table.column(named: name).flatMap { statement.dialect.type(of: $0) }
    return export(sql, as: type, to: statement, .column(name))
  }

  /// An expression about the record, for a statement that is its own or one below.
  ///
  /// - Parameter read: how the same is read of another record of its table.
  func export(
    _ sql: SQL, as type: ValueType?, to statement: StatementBuilder, _ read: RecursionContext.Read
  ) -> SQL {
    if self.statement !== statement { recursion?.note(self.statement.column(sql), read) }
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

  /// The columns that tell a record from all others: of one without a key, the number of the row in its copy.
  var identity: [SQL] { table.identity(of: record) }
}

extension Table {
  /// The columns of a record that tell it from all others: without a key, the number of the row in a copy.
  func identity(of record: RecordID) -> [SQL] {
    let pointers = pointerColumns
    return (pointers.isEmpty ? [TransientTable.rowNumber] : pointers).map { .column(record, $0) }
  }
}
