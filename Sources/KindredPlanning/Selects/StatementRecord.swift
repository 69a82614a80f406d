import KindredModel
import KindredSQLSyntax

/// A record that a statement reads, for which expressions are compiled: a table under an alias.
package final class StatementRecord {
  /// The names that expressions about the record can use.
  let names: NameScope
  /// What the request demands of the record; nil if nothing, or if that is a condition elsewhere.
  let conditions: ResolvedConditions?
  package let table: Table
  package let alias: String
  package let select: SelectBuilder
  /// The record that `../` leads to.
  package let parent: StatementRecord?
  /// The record of the join table, in which the step before ended.
  let via: StatementRecord?
  /// Whether a to-one path may add a join; in an `ON` clause, it would be too late.
  let canJoin: Bool
  /// Whether the record exists in every row, which it does unless an optional join leads to it.
  let isAlwaysPresent: Bool
  /// An expression that is not NULL if the record exists; nil if it always does.
  let presence: SQL?
  /// The column values of a record that is not in the statement but known.
  let constants: [String: SQL.Binding]?
  /// The values that the association that leads here fixes for parameters of the table.
  let parameters: [String: SQLValue]
  /// Tells it apart in its statement.
  let number: Int
  /// Whether the rows of a query are numbered, as nothing else tells them apart.
  var isNumbered = false
  /// Whether its table is read as a whole where the statement is computed, since its shards are not those of the records
  /// that it is joined to.
  var isGathered = false
  /// How the record's own statement finds it by a search; nil if it doesn't.
  var match: TextMatch?
  /// The recursion of the record's node; nil if it has none.
  var recursion: RecursionContext?

  init(
    _ names: NameScope, table: Table, alias: String, select: SelectBuilder, parent: StatementRecord?,
    via: StatementRecord? = nil, canJoin: Bool = true, isAlwaysPresent: Bool = true, presence: SQL? = nil,
    constants: [String: SQL.Binding]? = nil, parameters: [String: SQLValue] = [:],
    conditions: ResolvedConditions? = nil
  ) {
    self.names = names
    self.conditions = conditions
    self.table = table
    self.alias = alias
    self.select = select
    self.parent = parent
    self.via = via
    self.canJoin = canJoin
    self.isAlwaysPresent = isAlwaysPresent
    self.presence = presence
    self.constants = constants
    self.parameters = parameters
    number = select.statement.numberOfNewRecord()
  }

  /// Creates a record of the table that its names belong to, with a new alias.
  convenience init(_ names: NameScope, in select: SelectBuilder, conditions: ResolvedConditions? = nil) {
    let table = names.resource.table
    self.init(
      names, table: table, alias: select.alias(for: table), select: select, parent: nil,
      conditions: conditions)
  }

  /// The table as clients see it.
  var resource: Resource { names.resource }
  /// The request's node for these records.
  package var node: RequestNode? { names.node }
  package var statement: StatementBuilder { select.statement }

  /// The identity by which SQL refers to it.
  package var id: RecordID { RecordID(alias: alias, depth: select.depth) }

  /// Whether it is read from a copy of its table, which is decided before expressions about it are compiled.
  var readsCopy: Bool { statement.copies.contains(id) }

  /// The same record, for expressions that can't add joins.
  var withoutJoins: StatementRecord {
    StatementRecord(
      names, table: table, alias: alias, select: select, parent: parent, via: via, canJoin: false,
      conditions: conditions)
  }

  /// The record without a parent.
  var asRoot: StatementRecord {
    StatementRecord(
      names, table: table, alias: alias, select: select, parent: nil, via: via, conditions: conditions)
  }

  /// Returns a column of the record for its own statement or one below.
  package func column(_ name: String, in statement: StatementBuilder) -> SQL {
    if let constants { return "\(constants[name] ?? .value(.null))" }
    let sql = SQL.column(id, name)
    guard self.statement !== statement else { return sql }
    let type = table.column(named: name).flatMap { statement.dialect.type(of: $0) }
    return export(sql, as: type, to: statement, .column(name))
  }

  /// Returns a condition that links the record to another, as a term where it says that both are in the same shard.
  ///
  /// - Parameters:
  ///   - number: The number of the step's columns that it compares.
  ///   - value: The value of the other record.
  func colocated(
    by link: SQL, to origin: StatementRecord, _ step: AssociationStep, _ number: Int, _ value: SQL,
    in statement: StatementBuilder
  ) -> SQL {
    guard let place = table.distribution?.column, step.destinationColumns[number] == place,
      !isGathered, table.column(named: place)?.comparesBytes ?? false
    else { return link }
    let isInStatement = origin.statement === statement && origin.constants == nil
    guard !isInStatement || origin.table.distribution?.column == step.originColumns[number] else {
      return link
    }
    let term = SQL.term(link)
    statement.colocations.append(
      Colocation(
        link: term, record: colocated, column: .column(id, place),
        origin: isInStatement ? origin.colocated : nil,
        originColumn: value))
    return term
  }

  /// Returns whether a table that is reached from the record by some steps has to be gathered.
  ///
  /// A record of another statement, or one that is known, is only a value.
  func gathers(_ steps: some Sequence<AssociationStep>, in select: SelectBuilder, _ model: Model) throws
    -> Bool
  {
    guard select.statement.dialect.isSharded, statement === select.statement, constants == nil else {
      return false
    }
    var (table, isElsewhere) = (table, isGathered)
    for step in steps {
      let next = try model.table(named: step.destination).table
      isElsewhere = next.distribution != nil && (isElsewhere || !table.isColocated(with: next, by: step))
      table = next
    }
    return isElsewhere
  }

  /// Returns an expression about the record for its own statement or one below.
  ///
  /// - Parameter read: How the same is read from another record of the table.
  func export(
    _ sql: SQL, as type: ValueType?, to statement: StatementBuilder, _ read: RecursionContext.Read
  ) -> SQL {
    if self.statement !== statement { recursion?.note(self.statement.column(sql), read) }
    return self.statement.export(sql, as: type, to: statement)
  }

  /// The column that numbers the rows of a copy or a query, and so distinguishes equal records without a key.
  package static let rowNumber = "kindred:row"

  /// The expressions that point to the record: those of its table, or else the number of its row in a copy.
  var pointers: [SQL] { table.pointers(to: id) }
}

extension Table {
  /// Returns the expressions that point to a record: its pointer columns, or else the number of its row in a copy.
  func pointers(to record: RecordID) -> [SQL] {
    let columns = pointerColumns
    return (columns.isEmpty ? [StatementRecord.rowNumber] : columns).map { keyColumn($0, of: record) }
  }
}
