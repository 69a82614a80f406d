import KindredModel
import KindredSQLSyntax

/// Builds a statement: its result columns, and the aliases of its tables.
package final class StatementBuilder {
  /// The dialect of the database that it is for.
  let dialect: any SQLDialect
  /// The level in the tree of statements, from 0.
  let level: Int
  /// Whether it runs more than once in a request.
  let runsOften: Bool
  /// Whether it may give more than one row.
  let givesMany: Bool
  /// Whether statements and subqueries below it run more than once.
  var repeatsInner: Bool { runsOften || givesMany }
  /// Whether the database makes an index for a join that lacks one, each time the statement runs.
  var indexesJoins = false
  /// Whether its rows are those of the request's root, each of which it gives once.
  var isOfRoot = false
  private(set) var columns: [SQL] = []
  private var numbers: [SQL: Int] = [:]
  /// The columns that count all records of an association.
  private(set) var counts: [Int: GroupedAggregate] = [:]
  /// The explicit collations by which columns are compared.
  private(set) var collations: [Int: Expression.Collation] = [:]
  /// The numbers of the columns that are not used yet.
  private var free: Set<Int> = []
  /// The aliases in the statement's `FROM` clause, then those in the subqueries that are being built.
  private var aliases: [Set<String>] = [[]]
  /// Lowercase aliases that are reserved for the tables that the request gives them to.
  private var reservedAliases: Set<String> = []
  /// The occurrences of views that read the clock.
  fileprivate(set) var clockViews: [RecordID: Table] = [:]
  /// The records that are read from a copy of their table.
  var copies: Set<RecordID> = []
  /// How its records of distributed tables are linked, each after the one that it is linked to.
  var colocations: [Colocation] = []
  /// The number of records that it reads.
  private var recordCount = 0
  /// The common table expressions that it reads.
  var definitionsRead: Set<String> = []

  /// Creates a statement: by default one that runs once in a request, and may give many rows.
  init(_ dialect: any SQLDialect, level: Int = 0, runsOften: Bool = false, givesMany: Bool = true) {
    self.dialect = dialect
    self.level = level
    self.runsOften = runsOften
    self.givesMany = givesMany
  }

  /// Returns the number of a new record, which tells it apart in the statement.
  func numberOfNewRecord() -> Int {
    recordCount += 1
    return recordCount
  }

  /// Returns the number of a result column, which is added if necessary.
  package func column(_ sql: SQL) -> Int {
    if let number = numbers[sql] { return number }
    columns.append(sql)
    numbers[sql] = columns.count - 1
    return columns.count - 1
  }

  /// Returns the number of the result column with a value, which is added if necessary.
  package func column(_ value: CompiledExpression) -> Int {
    let number = column(value.sql)
    if let aggregate = value.grouped, aggregate.counted != nil, aggregate.term == value.sql {
      counts[number] = aggregate
    }
    if let collation = value.collation { collations[number] = collation }
    return number
  }

  /// Makes `sql` the result column with this number.
  ///
  /// - Returns: False if the number belongs to another column.
  func place(_ sql: SQL, at number: Int) -> Bool {
    while columns.count <= number {
      free.insert(columns.count)
      columns.append("NULL")
    }
    guard free.remove(number) != nil else { return columns[number] == sql }
    columns[number] = sql
    return true
  }

  /// Returns an expression of this statement as a statement below, or this one, can read it.
  func export(_ sql: SQL, as type: ValueType?, to statement: StatementBuilder) -> SQL {
    guard statement !== self else { return sql }
    return dialect.parameter(.ancestor(level: statement.level - level, column: column(sql)), as: type)
  }

  /// Begins the statement's own `SELECT`.
  func newSelect() -> SelectBuilder { SelectBuilder(self, depth: 0) }

  /// Returns the result of `body`, which builds a subquery.
  ///
  /// Its aliases are free again afterwards, so that equal subqueries have equal texts.
  func subquery<Result>(_ body: (SelectBuilder) throws -> Result) rethrows -> Result {
    aliases.append([])
    defer { aliases.removeLast() }
    return try body(SelectBuilder(self, depth: aliases.count - 1))
  }

  /// Reserves aliases for the tables that the request gives them to.
  func reserve(_ aliases: [String]) { reservedAliases.formUnion(aliases.map { $0.lowercased() }) }

  /// Returns an alias for another occurrence of a table: its name, with a number if necessary.
  fileprivate func alias(for name: String, depth: Int) -> String {
    var alias = name
    var number = 1
    while reservedAliases.contains(alias.lowercased())
      || aliases.contains(where: { $0.contains(alias.lowercased()) })
    {
      number += 1
      alias = "\(name)\(number)"
    }
    aliases[depth].insert(alias.lowercased())
    return alias
  }
}

/// Builds a `SELECT`: the statement itself, or a subquery of it.
package final class SelectBuilder {
  package let statement: StatementBuilder
  /// The number of `SELECT`s that enclose it.
  package let depth: Int
  /// The clauses built so far.
  private(set) var source = SelectSource()
  /// The first table, if links to the record above find its rows.
  private var linkedTable: Table?

  fileprivate init(_ statement: StatementBuilder, depth: Int) {
    self.statement = statement
    self.depth = depth
  }

  /// Whether it is the statement itself rather than a subquery.
  var isStatement: Bool { depth == 0 }
  /// Whether no table has been added yet.
  var isEmpty: Bool { source.table.isEmpty }
  /// Everything from `FROM` to `WHERE`.
  var from: SQL { linkedSource.sql() }

  /// The clauses for a select that runs once for each record above, whose rows the links to it are to find.
  ///
  /// Without statistics, a database takes an index of another column that equals a value for just as good, and reads all
  /// rows with that value for each record.
  var linkedSource: SelectSource {
    guard let linkedTable, let record = source.plainRecord, !(isStatement && statement.isOfRoot) else {
      return source
    }
    let found = linkedTable.columnsThatFindSeveral.filter { name in
      !source.links.contains { $0.reads { $0 == record && $1 == name } }
    }
    guard !found.isEmpty else { return source }
    var linked = source
    for (place, condition) in source.conditions.enumerated()
    where found.contains(where: { condition.isEquality(of: record, $0) }) {
      linked.conditions[place] = statement.dialect.filtering(condition)
    }
    return linked
  }

  /// Begins the `FROM` clause.
  ///
  /// - Parameters:
  ///   - links: The conditions that link the records to the one that they are associated with.
  ///   - linked: The table whose rows they find.
  ///   - isPlain: Whether the source contains all visible records, rather than selected ones.
  func begin(
    with table: TableReference, links: [SQL] = [], to linked: Table? = nil, isPlain: Bool = true
  ) {
    linkedTable = links.isEmpty ? nil : linked
    source.table = table.sql
    source.plainRecord = isPlain ? table.record : nil
    source.links = links
    if let rule = table.rule { source.conditions.append(rule) }
  }

  /// Joins a table: `JOIN table ON conditions`.
  ///
  /// - Parameter addition: The record that an optional join adds to each row, if there is at most one.
  func join(
    _ table: TableReference, on conditions: [SQL], _ kind: SelectSource.JoinKind = .required,
    adding addition: RecordID? = nil
  ) {
    let all = conditions + (table.rule.map { [$0] } ?? [])
    append(
      join: "\(kind.rawValue) \(table.sql) ON \(all.joined(separator: " AND "))",
      adding: kind == .optional ? addition : nil)
    if kind != .optional { source.leavesOutByJoin = true }
  }

  /// Adds a join.
  ///
  /// - Parameter addition: The record that it adds to each row, if the number of rows is the same without it.
  package func append(join: SQL, adding addition: RecordID? = nil) {
    source.joins.append(SelectSource.Join(sql: join, addition: addition))
  }

  /// Adds conditions.
  func add(_ conditions: [SQL]) { source.conditions += conditions }

  /// Adds a condition.
  func add(_ condition: SQL) { source.conditions.append(condition) }

  /// Returns an alias for a table in its `FROM` clause that no enclosing `SELECT` uses.
  func alias(for table: Table) -> String {
    let alias = statement.alias(for: table.name, depth: depth)
    if table.readsClock { statement.clockViews[RecordID(alias: alias, depth: depth)] = table }
    return alias
  }

  /// Returns the alias that the request gives the node's record, or any.
  func alias(for table: Table, node: RequestNode?) -> String {
    node?.rows.aliases.lazy.compactMap(\.name).first ?? alias(for: table)
  }

  /// Returns an alias for a table with this name.
  package func alias(for name: String) -> String { statement.alias(for: name, depth: depth) }
}
