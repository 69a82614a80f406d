import KindredModel
import KindredSQLSyntax

/// An aggregate of an association, computed for all records in one pass over the associated ones.
package struct GroupedAggregate {
  /// The name of a group's key in `groups`.
  static let keyName = "kindred:group"
  static let key: SQL = "\(identifier: keyName)"
  /// The name of a group's aggregate in `groups`.
  static let valueName = "kindred:rank"
  static let value: SQL = "\(identifier: valueName)"

  /// The aggregate as a subquery of each record, or as a column of the groups if these are joined.
  var term: SQL
  /// Whether the groups are joined to the records.
  var isJoined = false
  /// The key of the group that an associated record belongs to.
  let group: SQL
  /// The aggregate of a group.
  let call: SQL
  /// The table of the associated records, or those that lead to them.
  let table: SQL
  /// The conditions on the associated records.
  let conditions: [SQL]
  /// The record's column that equals the key of its group.
  package let origin: SQL
  /// The aggregate of an empty set of records.
  let empty: SQL
  /// The condition that a record has no associated ones.
  let isAbsent: SQL
  /// The association all of whose records it counts; nil if it is another aggregate, or one of some of the records.
  package let counted: Association?

  /// Keys and aggregates: `SELECT … FROM associated records GROUP BY key`.
  var groups: SQL { groups(among: nil) }

  /// Returns the keys and aggregates of some groups.
  ///
  /// - Parameter keys: The select of their keys; nil for all groups.
  func groups(among keys: SQL?) -> SQL {
    let all = conditions + (keys.map { ["\(group) IN (\($0))"] } ?? [])
    let filter: SQL = all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))"
    return
      "SELECT \(group) AS \(Self.key), \(call) AS \(Self.value) FROM \(table)\(filter) GROUP BY \(group)"
  }
}
