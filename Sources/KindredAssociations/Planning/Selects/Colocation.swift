import KindredSQLSyntax

/// The condition by which a record is in the same shard as another one, or as a value.
///
/// A database that distributes tables infers little from it, so a condition on the one is repeated for the other: each
/// table of a statement then goes to the same shards.
struct Colocation {
  /// The condition, which is a term.
  let link: SQL
  let record: StatementRecord
  /// The column that decides in which shard the record is.
  let column: SQL
  /// The record that it is linked to; nil if it is linked to a value.
  let origin: StatementRecord?
  /// The column of that.
  let originColumn: SQL
}

/// The conditions on the shards of a statement, for each term that links a record.
struct ShardConditions {
  /// What replaces a link; nil where equal links have different conditions.
  private var replacements: [SQL: SQL?] = [:]

  /// - Parameters:
  ///   - conditions: The conditions of the statement's own rows.
  ///   - root: The record of these.
  ///   - linked: Returns the condition on the column for a link to values; nil if there is none.
  init(
    _ colocations: [Colocation], conditions: [SQL], of root: StatementRecord,
    linked: (Colocation) -> SQL?
  ) {
    guard !colocations.isEmpty else { return }
    var known: [ObjectIdentifier: (column: SQL, conditions: [SQL])] = [:]
    if let name = root.table.distribution?.column, root.table.column(named: name)?.comparesBytes ?? false {
      let own = conditions.filter { $0.isEquality(of: root.id, name) }
      known[ObjectIdentifier(root)] = (.column(root.id, name), own)
    }
    for colocation in colocations {
      var conditions: [SQL] = []
      if let origin = colocation.origin.flatMap({ known[ObjectIdentifier($0)] }) {
        conditions = origin.conditions.map { $0.replacing(column: origin.column, with: colocation.column) }
      } else if colocation.origin == nil {
        conditions = linked(colocation).map { [$0] } ?? []
      }
      let record = ObjectIdentifier(colocation.record)
      let isOwn = colocation.origin == nil && conditions == [colocation.link]
      let new: SQL = ([colocation.link] + (isOwn ? [] : conditions)).joined(separator: " AND ")
      if let other = replacements[colocation.link], other != new {
        replacements[colocation.link] = .some(nil)
      } else {
        replacements[colocation.link] = new
      }
      known[record] = (colocation.column, (known[record]?.conditions ?? []) + conditions)
    }
    replacements = replacements.filter { $0.value != $0.key }
  }

  /// Returns SQL with the conditions beside the links.
  func added(to sql: SQL) -> SQL {
    replacements.reduce(sql) { sql, replacement in
      replacement.value.map { sql.replacing(term: replacement.key, with: $0) } ?? sql
    }
  }

  /// Returns a source with the conditions beside the links.
  func added(to source: SelectSource) -> SelectSource {
    guard !replacements.isEmpty else { return source }
    var source = source
    source.table = added(to: source.table)
    source.joins = source.joins.map(added)
    source.links = source.links.map(added)
    source.conditions = source.conditions.map(added)
    return source
  }
}

extension RecordSelect {
  /// Returns the select with the conditions of the shards that it goes to.
  ///
  /// - Parameter linked: Returns the condition on the column for a link to values of the records above; nil if there is none.
  func withShardConditions(linked: (Colocation) -> SQL?) -> RecordSelect {
    let colocations = record.statement.colocations
    guard !colocations.isEmpty else { return self }
    let shards = ShardConditions(
      colocations, conditions: source.conditions, of: record, linked: linked)
    var select = self
    select.source = shards.added(to: source)
    select.columns = columns.map(shards.added)
    select.group = group?.map(shards.added)
    select.havings = havings.map(shards.added)
    for place in order.indices { select.order[place].sql = shards.added(to: order[place].sql) }
    return select
  }
}
