import KindredModel

/// The columns of a record by whose values a request finds it.
struct SearchedColumns {
  /// The columns that have a value, or one of several.
  private(set) var equal: [String] = []
  /// Those of them that have the same value in all records.
  private(set) var fixed: [String] = []
  /// The columns that are compared with a value otherwise.
  private(set) var ranges: [String] = []
  /// The indexes that records lack to be found by a column of a record that they refer to.
  private(set) var missing: [MissingIndex] = []
  /// Whether a search for words finds the records.
  let isByWords: Bool
  /// What the request demands of the records, where the database recognizes it.
  private let conditions: ResolvedConditions?

  init(of record: StatementRecord) {
    isByWords = !(record.conditions?.searches.isEmpty ?? true)
    // A guarded condition isn't recognized.
    self.conditions = record.names.model.isRestricted ? nil : record.conditions
    guard let conditions = record.conditions, case .table = record.table.kind else { return }
    for equality in conditions.equalities where equality.computed == nil {
      add(equality.column.name, to: \.equal, in: record.table)
    }
    for filter in conditions.filters { add(filter, of: record) }
  }

  /// Returns whether all the records meet the test of a partial index.
  func meet(_ test: Index.NullTest) -> Bool { conditions?.meet(test) ?? false }

  private mutating func add(
    _ name: String, to columns: WritableKeyPath<SearchedColumns, [String]>, in table: Table
  ) {
    guard let name = table.column(named: name)?.name, !self[keyPath: columns].containsExactly(name) else {
      return
    }
    self[keyPath: columns].append(name)
  }

  private mutating func add(_ filter: ResolvedExpression, of record: StatementRecord) {
    switch filter.meaning {
    case .all(let operands): for operand in operands { add(operand, of: record) }
    case .binary(let op, let value, let other) where op.isOfOrder && other.readsNoRecord,
      .binary(let op, let other, let value) where op.isOfOrder && other.readsNoRecord:
      addRange(of: value, in: record.table)
    case .between(let value, let low, let high, negated: false)
    where low.readsNoRecord && high.readsNoRecord:
      addRange(of: value, in: record.table)
    default:
      guard let test = PathTest(filter), !test.isNegated else { return }
      switch test.path {
      case .column(let column):
        add(column.name, to: \.equal, in: record.table)
        if case .in = filter.meaning { return }
        add(column.name, to: \.fixed, in: record.table)
      case .joined: addMissing(on: test.path, from: record.table, in: record)
      default: break
      }
    }
  }

  private mutating func addRange(of value: ResolvedExpression, in table: Table) {
    guard case .path(.column(let column)) = value.meaning else { return }
    add(column.name, to: \.ranges, in: table)
  }

  /// Adds the indexes that are lacking to find what a path leads to, and the records that refer to it.
  private mutating func addMissing(on path: ResolvedPath, from table: Table, in record: StatementRecord) {
    let dialect = record.statement.dialect
    func lacks(_ columns: [String]) {
      guard !table.isIndexed(columns) else { return }
      missing.append(
        MissingIndex(on: table, dialect.indexedTable(table), columns.map { MissingIndex.Term($0) }))
    }
    switch path {
    case .column(let column): lacks([column.name])
    case .joined(let association, let rest):
      let steps = association.association.steps
      guard steps.count == 1, steps[0].direction == .belongsTo,
        let destination = record.names.model.tables[steps[0].destination],
        case .table = destination.kind
      else { return }
      lacks(steps[0].originColumns)
      addMissing(on: rest, from: destination, in: record)
    default: break
    }
  }
}

extension Expression.BinaryOperator {
  /// Whether it compares the order of two values.
  fileprivate var isOfOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}
