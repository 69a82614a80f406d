import KindredModel
import KindredSQLSyntax

/// The condition by which a record is in the same shard as another one, or as a value.
///
/// A database that distributes tables infers little from it, so a condition on the one is repeated for the other: each
/// table of a statement then goes to the same shards.
package struct Colocation {
  /// The condition, which is a term.
  package let link: SQL
  let record: ColocatedRecord
  /// The column that decides in which shard the record is.
  package let column: SQL
  /// The record that it is linked to; nil if it is linked to a value.
  let origin: ColocatedRecord?
  /// The column of that.
  package let originColumn: SQL
}

/// A record of a statement that is in a shard.
struct ColocatedRecord {
  let id: RecordID
  let table: Table
  /// The number of the record in its statement.
  let number: Int

  /// What tells it apart in its statement: subqueries may use an alias again.
  fileprivate var place: Place { Place(id: id, number: id.depth == 0 ? nil : number) }

  fileprivate struct Place: Hashable {
    let id: RecordID
    let number: Int?
  }

  /// Returns the conditions that the record is in a shard, or in one of several.
  fileprivate func equalities(among conditions: [SQL]) -> [SQL] {
    guard let name = table.distribution?.column, table.column(named: name)?.comparesBytes ?? false
    else { return [] }
    return conditions.filter { $0.isEquality(of: id, name) }
  }
}

/// The conditions on the shards of a statement, for each term that links a record.
struct ShardConditions {
  /// What replaces each link.
  private var replacements: [(link: SQL, conditions: SQL)] = []

  /// - Parameters:
  ///   - conditions: The conditions of the statement's own rows.
  ///   - root: The record of these.
  ///   - linked: Returns the condition on the column for a link to values; nil if there is none.
  init(
    _ colocations: [Colocation], conditions: [SQL], of root: SelectedRecord,
    linked: (Colocation) -> SQL?
  ) {
    let ways = Dictionary(grouping: colocations, by: \.record.place)
    /// The conditions by which a record is linked, and those of the records that it is linked to.
    func known(_ record: ColocatedRecord) -> [SQL] {
      let own = record.id == root.id ? record.equalities(among: conditions) : []
      return own + (ways[record.place] ?? []).flatMap(added)
    }
    func added(_ colocation: Colocation) -> [SQL] {
      guard let origin = colocation.origin else { return linked(colocation).map { [$0] } ?? [] }
      return known(origin).map { $0.replacing(column: colocation.originColumn, with: colocation.column) }
    }
    for colocation in colocations {
      let others = added(colocation).filter { $0 != colocation.link }
      let new: SQL = ([colocation.link] + others).joined(separator: " AND ")
      if let place = replacements.firstIndex(where: { $0.link == colocation.link }) {
        // Equal links of different records have the conditions of none.
        if replacements[place].conditions != new { replacements[place].conditions = colocation.link }
      } else {
        replacements.append((colocation.link, new))
      }
    }
    replacements.removeAll { $0.link == $0.conditions }
  }

  /// Returns SQL with the conditions added to the links.
  func added(to sql: SQL) -> SQL {
    // A link may contain those before it.
    replacements.reversed().reduce(sql) { $0.replacing(term: $1.link, with: $1.conditions) }
  }

  /// Returns a source with the conditions added to the links.
  func added(to source: SelectSource) -> SelectSource {
    guard !replacements.isEmpty else { return source }
    var source = source
    source.table = added(to: source.table)
    for place in source.joins.indices { source.joins[place].sql = added(to: source.joins[place].sql) }
    source.links = source.links.map(added)
    source.conditions = source.conditions.map(added)
    return source
  }
}

extension StatementRecord {
  var colocated: ColocatedRecord { ColocatedRecord(id: id, table: table, number: number) }
}

extension RecordSelect {
  /// Returns the select with the conditions of the shards that it goes to.
  ///
  /// - Parameter linked: Returns the condition on the column for a link to values of the records above; nil if there is none.
  package func withShardConditions(linked: (Colocation) -> SQL?) -> RecordSelect {
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
