import KindredModel
import KindredSQLSyntax

/// Builds the selects of a request's path.
struct RecordPath {
  /// The records on the way, and the error detail if one doesn't exist.
  ///
  /// Selects below may still add columns to them.
  private var steps: [(record: StatementRecord, order: [SQL], absence: String)] = []
  /// The order by which the record at the end is the first one that its key may name.
  private(set) var endOrder: [OrderTerm] = []
  private let context: PlanningContext

  /// Begins a select for each record on the way.
  init(_ path: [ResolvedRecords], _ context: PlanningContext) throws {
    self.context = context
    for records in path {
      let statement = StatementBuilder(context.dialect, level: steps.count, givesMany: false)
      let record = try open(records, in: statement)
      let named = Self.order(of: records, in: record).map { $0.rendered(as: $0.sql, context.dialect) }
      steps.append((record, named + (try order(of: records, record)), records.absence))
    }
  }

  /// The level of the statement of the records at the end.
  var level: Int { steps.count }

  /// The selects of the records on the way, when everything below has been built.
  var selects: [PathSelect] { steps.map { PathSelect($0.record, orderedBy: $0.order, absence: $0.absence) } }

  /// Returns the order of the records with a key that nothing checks for uniqueness; empty where a key is unique.
  private func order(of records: ResolvedRecords, _ record: StatementRecord) throws -> [SQL] {
    guard records.key != nil, record.table.isKeyUnchecked else { return [] }
    return try context.orders.order(within: record)
  }

  /// Begins the select of the records at the end: their table, and the conditions that find them.
  ///
  /// The records of the path can't be named by `../`.
  mutating func end(_ records: ResolvedRecords, in statement: StatementBuilder) throws -> StatementRecord {
    let record = try open(records, in: statement)
    endOrder = Self.order(of: records, in: record)
    return record.asRoot
  }

  /// Returns the order by which a record precedes others that its key may name, too: a text in a URL may be a number, a
  /// text, or the bytes of a BLOB.
  ///
  /// In a column of BLOBs these come first, elsewhere what is written as it is, as SQLite orders values of different types.
  private static func order(of records: ResolvedRecords, in record: StatementRecord) -> [OrderTerm] {
    (records.key ?? []).compactMap { key in
      guard key.column.literals.count > 1, key.computed == nil,
        let column = record.table.column(named: key.column.name), column.affinity == .blob
      else { return nil }
      var term = OrderTerm(sql: .column(record.id, column.name))
      term.isDescending = !column.declaredType.isEmpty && !column.declaredType.equalsIgnoringCase("any")
      term.isNullable = false
      return term
    }
  }

  private func open(_ records: ResolvedRecords, in statement: StatementBuilder) throws -> StatementRecord {
    let select = statement.newSelect()
    let record: StatementRecord
    if let association = records.association, let origin = steps.last?.record {
      record = try context.chains.destination(
        of: association, from: origin, into: select, isRepeated: statement.runsOften)
    } else {
      record = StatementRecord(records.names, in: select, conditions: records.conditions)
      select.begin(
        with: try context.state.rowColumns.map { try context.sources.reference(to: record, ofRowOf: $0) }
          ?? context.sources.reference(to: record))
    }
    select.add(
      try (records.key ?? []).map { column in
        try context.rules.guarding(in: record) {
          try context.conditions.equality(column, in: record, isKey: true)
        }
      })
    return record
  }
}
