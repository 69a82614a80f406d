import KindredModel
import KindredSQLSyntax

/// An aggregate of an association, computed for all records in one pass over the associated ones.
package struct GroupedAggregate {
  /// The name of a group's key in `groups`.
  static let key: SQL = "\(identifier: "kindred:group")"
  /// The name of a group's aggregate in `groups`.
  static let value: SQL = "\(identifier: "kindred:rank")"

  /// The aggregate as a subquery of each record.
  let term: SQL
  /// Keys and aggregates: `SELECT … FROM associated records GROUP BY key`.
  let groups: SQL
  /// The record's column that equals the key of its group.
  package let origin: SQL
  /// The aggregate of an empty set of records.
  let empty: SQL
  /// The condition that a record has no associated ones.
  let isAbsent: SQL
  /// The association all of whose records it counts; nil if it is another aggregate, or one of some of the records.
  package let counted: Association?
}
