import KindredModel
import KindredSQLSyntax

/// The indexes that a select lacks to find its rows, or to read as many as a page has in their order.
///
/// An index has the columns of equalities, then those of the order, then one that is compared otherwise. None is missing
/// where one serves, be it that a page in the order of an index is filtered.
struct IndexAdvice {
  private let rows: RecordSelect

  init(for rows: RecordSelect) { self.rows = rows }

  private var record: SelectedRecord { rows.record }
  private var dialect: any SQLDialect { rows.dialect }

  var missingIndexes: [MissingIndex] {
    guard case .table = record.table.kind, rows.source.plainRecord == record.id, rows.finding == nil,
      !record.searched.isByWords
    else { return [] }
    let (table, searched) = (record.table, record.searched)
    let fixed = rows.fixedColumns.adding(searched.fixed)
    guard !table.isUnique(fixed) else { return [] }
    let indexes = table.indexes(where: searched.meet)
    let equal = fixed.adding(searched.equal)
    let isFound = indexes.contains { index in
      index.columns.first.flatMap(\.self).map { (equal + searched.ranges).containsExactly($0) } ?? false
    }
    let sorted = sortedColumns(besides: fixed)
    let beyond = isFound || !equal.isEmpty ? [] : searched.missing
    if sorted.isEmpty {
      guard !isFound, !equal.isEmpty || !searched.ranges.isEmpty else { return beyond }
      return [missing(equal, [], searched.ranges)] + beyond
    }
    if indexes.contains(where: { $0.gives(sorted, besides: fixed) }) { return beyond }
    // Neither the records with one of several values come in the order, nor those in a range of another column.
    guard equal.count == fixed.count else { return isFound ? beyond : [missing(equal, [], [])] }
    guard !isFound || !equal.isEmpty else { return beyond }
    return [missing(equal, sorted, searched.ranges)] + beyond
  }

  private func missing(_ equal: [String], _ sorted: [SortedColumn], _ ranges: [String]) -> MissingIndex {
    let isReversed = sorted.first?.order.isDescending ?? false
    let order = sorted.map { column -> MissingIndex.Term in
      let order = isReversed ? column.order.reversed : column.order
      // Of a single column, NULLs are read apart where an index has them.
      let nulls: SortTerm.Nulls? = dialect.placesNullsInIndexes ? order.nullsComeFirst ? .first : .last : nil
      return MissingIndex.Term(
        column.name,
        dialect.order(
          "\(identifier: column.name)", isDescending: order.isDescending, nulls: nulls,
          isNullable: column.isNullable && sorted.count > 1))
    }
    let names = equal + sorted.map(\.name)
    let range = ranges.first { !names.containsExactly($0) }.map { MissingIndex.Term($0) }
    return MissingIndex(
      on: record.table, dialect.indexedTable(record.table),
      equal.map { MissingIndex.Term($0) } + order + [range].compactMap(\.self))
  }

  /// A column of the record that is a term of the order.
  fileprivate struct SortedColumn {
    let name: String
    let order: Index.Order
    let isNullable: Bool
  }

  /// Returns the first terms of the order that are columns in which the rows differ, up to a unique one; empty if all rows
  /// are read, or if the order begins with something else.
  private func sortedColumns(besides fixed: [String]) -> [SortedColumn] {
    guard rows.isLimited, rows.group == nil, !rows.isDistinct, rows.ranking == nil else { return [] }
    var columns: [SortedColumn] = []
    for term in rows.order {
      guard let name = term.sql.column(of: record.id), !record.table.isUnique([name]) else { break }
      if fixed.containsExactly(name) { continue }
      columns.append(
        SortedColumn(
          name: name,
          order: Index.Order(isDescending: term.isDescending, nullsComeFirst: term.nullsComeFirst),
          isNullable: term.isNullable))
    }
    return columns
  }
}

extension Index {
  /// Returns whether it gives records that have given values in some columns in an order, in either direction.
  ///
  /// NULLs of the first column may be at the other end, as they are then read apart.
  fileprivate func gives(_ sorted: [IndexAdvice.SortedColumn], besides fixed: [String]) -> Bool {
    guard let orders else { return false }
    let start = columns.firstIndex { $0.map { !fixed.containsExactly($0) } ?? true } ?? columns.count
    let places = start..<(start + sorted.count)
    guard places.upperBound <= columns.count, collations[..<places.upperBound].allSatisfy({ $0 == nil })
    else { return false }
    return [false, true].contains { isReversed in
      zip(places, sorted).allSatisfy { place, column in
        guard columns[place]?.hasBytes(of: column.name) ?? false else { return false }
        let order = isReversed ? orders[place].reversed : orders[place]
        return order.isDescending == column.order.isDescending
          && (!column.isNullable || place == start || order.nullsComeFirst == column.order.nullsComeFirst)
      }
    }
  }
}

extension [String] {
  /// Returns the names with others that aren't among them.
  fileprivate func adding(_ others: [String]) -> [String] {
    self + others.filter { !containsExactly($0) }
  }
}
