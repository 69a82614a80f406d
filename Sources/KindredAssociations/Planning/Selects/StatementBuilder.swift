import KindredSQLSyntax

/// One prepared statement in the making: its result columns, and the names of the tables in it.
final class StatementBuilder {
  /// Of the database that it is for.
  let dialect: any SQLDialect
  /// In the tree of statements; 0 has none above.
  let level: Int
  /// Whether it runs more than once in a request.
  let runsOften: Bool
  /// Whether it may give more than one row.
  let givesMany: Bool
  /// Whether what is below it, a statement or a subquery, runs more than once.
  var repeatsInner: Bool { runsOften || givesMany }
  /// Whether it is left to SQLite to make an index for a join that lacks one: it makes it each time it runs.
  var leavesJoinsToSQLite = false
  private(set) var columns: [SQL] = []
  private var numbers: [SQL: Int] = [:]
  /// The numbers of columns that nothing reads yet.
  private var free: Set<Int> = []
  /// The names given in the statement's own `FROM` clause, then in those of the subqueries that are being made.
  private var aliases: [Set<String>] = [[]]
  /// Names that only those may have who ask for them, in lowercase.
  var reservedAliases: Set<String> = []
  /// Whether a common table expression is read.
  var readsCommonTableExpression = false

  init(_ dialect: any SQLDialect, level: Int, runsOften: Bool, givesMany: Bool) {
    self.dialect = dialect
    self.level = level
    self.runsOften = runsOften
    self.givesMany = givesMany
  }

  /// The place of this result column, added where it is not there yet.
  func column(_ sql: SQL) -> Int {
    if let number = numbers[sql] { return number }
    columns.append(sql)
    numbers[sql] = columns.count - 1
    return columns.count - 1
  }

  /// Has the result column of this number be `sql`.
  ///
  /// - Returns: Whether it can be: no other stands there.
  func place(_ sql: SQL, at number: Int) -> Bool {
    while columns.count <= number {
      free.insert(columns.count)
      columns.append("NULL")
    }
    guard free.remove(number) != nil else { return columns[number] == sql }
    columns[number] = sql
    return true
  }

  /// An expression of this statement as one below (or this one) can read it.
  func export(_ sql: SQL, as type: ValueType?, to statement: StatementBuilder) -> SQL {
    guard statement !== self else { return sql }
    return dialect.parameter(.ancestor(level: statement.level - level, column: column(sql)), as: type)
  }

  /// Begins the statement's own `SELECT`.
  func newSelect() -> SelectBuilder { SelectBuilder(self, depth: 0) }

  /// Makes a subquery.
  ///
  /// Equal subqueries are of equal text: the names in one are free again in the next.
  func subquery<Result>(_ body: (SelectBuilder) throws -> Result) rethrows -> Result {
    aliases.append([])
    defer { aliases.removeLast() }
    return try body(SelectBuilder(self, depth: aliases.count - 1))
  }

  /// A name for another occurrence of a table: its own, or with a number.
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

/// A `SELECT` in the making: the statement itself, or a subquery of it.
final class SelectBuilder {
  let statement: StatementBuilder
  /// How many `SELECT`s it is in.
  let depth: Int
  /// Where its rows come from.
  private(set) var source = SelectSource()

  fileprivate init(_ statement: StatementBuilder, depth: Int) {
    self.statement = statement
    self.depth = depth
  }

  /// Whether it is the statement itself, and not a subquery.
  var isStatement: Bool { depth == 0 }
  /// Whether no table has been added yet.
  var isEmpty: Bool { source.table.isEmpty }
  /// Everything from `FROM` to `WHERE`.
  var from: SQL { source.sql() }

  /// Begins the `FROM` clause.
  ///
  /// - Parameters:
  ///   - links: what ties the records to the one that they are associated with.
  ///   - isPlain: whether all records in sight are meant, and not a chosen one.
  func begin(with table: TableReference, links: [SQL] = [], isPlain: Bool = true) {
    source.table = table.sql
    source.plainRecord = isPlain ? table.record : nil
    source.links = links
    if let rule = table.rule { source.conditions.append(rule) }
  }

  /// Joins a table: `JOIN table ON conditions`.
  func join(
    _ table: TableReference, on conditions: [SQL], _ kind: SelectSource.JoinKind = .required
  ) {
    let all = conditions + (table.rule.map { [$0] } ?? [])
    append(join: "\(kind.rawValue) \(table.sql) ON \(all.joined(separator: " AND "))")
    if kind != .optional { source.leavesOutByJoin = true }
  }

  /// Adds a join that is written already.
  func append(join: SQL) { source.joins.append(join) }

  /// Adds what must hold for each row.
  func add(_ conditions: [SQL]) { source.conditions += conditions }

  /// Adds what must hold for each row.
  func add(_ condition: SQL) { source.conditions.append(condition) }

  /// A name for a table in its `FROM` clause, which no table around it has.
  func alias(for table: Table) -> String { statement.alias(for: table.name, depth: depth) }

  /// The name that the node's record was promised, or any.
  func alias(for table: Table, node: RequestNode?) -> String {
    node?.rows.aliases.lazy.compactMap(\.name).first ?? alias(for: table)
  }

  /// The same for a table that leads to another.
  func alias(for name: String) -> String { statement.alias(for: name, depth: depth) }
}
