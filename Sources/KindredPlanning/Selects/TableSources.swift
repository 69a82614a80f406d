import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// A table in a `FROM` clause, and the columns by which its records are found.
package struct TableSource {
  /// The tables to join, in order; the table itself comes last.
  package var items: [(table: TableReference, condition: SQL?)] = []
  /// The columns that must equal those of the origin.
  package var keys: [SQL]
  /// Whether the keys hold values converted for the comparison with the columns they reference.
  package var isConverted = false
  /// Whether some values of the keys may not fit their affinities.
  let isMixed: Bool
  /// The record whose columns they are.
  let record: StatementRecord

  /// The columns of a record whose table is already in the `FROM` clause.
  init(columns: [String], of record: StatementRecord) {
    isMixed = record.table.isCompound
    self.record = record
    keys = columns.map { .column(record.id, $0) }
  }
}

/// Adds tables to `FROM` clauses: where no index finds their records, as the strategy of the database wants them.
struct TableSources: PlanningPart {
  let context: PlanningContext

  /// Returns the table of a record, whose records are found by the destination columns of `step`.
  ///
  /// - Parameters:
  ///   - origin: The record that the step starts from.
  ///   - isRepeated: Whether it is searched repeatedly, so that it must not be scanned.
  func source(
    of record: StatementRecord, by step: AssociationStep, from origin: StatementRecord, isRepeated: Bool
  ) throws -> TableSource {
    let (table, columns) = (record.table, step.destinationColumns)
    let comparisons = model.comparisons(of: step)
    // An index finds referencing rows only if its column has the same affinity, and the index the right collation.
    let refers = step.direction == .has
    let isConverted = refers && comparisons.contains { $0?.hasOneAffinity == false }
    let collations = comparisons.map { refers && $0?.hasOneCollation == false ? $0?.referred.collation : nil }
    let indexed = zip(columns, collations).map { $1 ?? table.column(named: $0)?.collation ?? "BINARY" }
    // A bound value has no affinity that could convert the other one.
    let isBound = origin.constants != nil || origin.statement !== record.statement
    let search = UnindexedSearch(
      record: record, columns: columns, comparisons: refers ? comparisons : [],
      isRepeated: isRepeated && !state.isForOneRecord, parents: parents(of: record, by: step, from: origin),
      convertsBoundValues: isConverted && isBound)
    // A copy would compute columns of records out of sight.
    let mayCopy = !context.rules.restricts(record) || !record.computes(columns + table.columnsOfCopy)
    let isIndexed =
      columns.isEmpty
      || !isConverted
        && table.isIndexed(columns, collations: indexed) { test in
          // A link is no condition on NULL, and a guarded condition none that the database recognizes.
          !test.isNull && columns.containsExactly(test.column)
            || !context.restrictsRows && record.conditions?.meet(test) ?? false
        }
    // The rule of the records reads them as they are in the copy.
    if !isIndexed, mayCopy, state.strategy.copiesTable(for: search) {
      record.statement.copies.insert(record.id)
    }
    var source = TableSource(columns: columns, of: record)
    source.items = [(table: try reference(to: record), condition: nil)]
    guard !isIndexed else { return source }
    if case .table = table.kind {
      source.items[0].table.notes =
        isConverted
        ? mismatches(comparisons, of: record, from: origin)
        : [.missingIndex(index(of: table, columns, indexed))]
    }
    return mayCopy ? state.strategy.source(of: search, insteadOf: source) : source
  }

  /// Returns the columns of the root's statement whose values a record of a statement below it is found by.
  private func parents(
    of record: StatementRecord, by step: AssociationStep, from origin: StatementRecord
  ) -> [Int]? {
    guard origin.statement.isOfRoot, origin.statement !== record.statement, origin.constants == nil,
      record.node?.recursion == nil
    else { return nil }
    return step.originColumns.map { origin.statement.column(SQL.column(origin.id, $0)) }
  }

  /// Returns the table of a record with the access rule of its records.
  func reference(to record: StatementRecord) throws -> TableReference {
    if record.table.fullText?.isSearchOnly ?? false, record.node?.searches.isEmpty ?? true {
      throw RequestError(
        .invalidValue,
        "`\(record.resource.name)` stores only what a search needs, so its records can't be listed; add `search=…`"
      )
    }
    if case .commonTableExpression = record.table.kind {
      record.statement.definitionsRead.insert(record.table.name)
    }
    return TableReference(
      sql: try record.table.query.map { try rows(of: $0, as: record) }
        ?? .table(record.table, as: record.alias, isGathered: record.isGathered),
      rule: try context.rules.rule(of: record), record: record.id)
  }

  /// Returns the row of a record whose columns have the values of the first literals, with the access rule of its records.
  func reference(to record: StatementRecord, ofRowOf columns: [String]) throws -> TableReference {
    let row = record.table.row(ofParametersFor: columns, in: dialect)
    return TableReference(
      sql: "(\(row)) AS \(identifier: record.alias)", rule: try context.rules.rule(of: record),
      record: record.id)
  }

  /// Returns a query with the values of a record's node or association, or the default ones.
  ///
  /// It may read itself, as every common table expression may.
  private func rows(of query: ParameterizedQuery, as record: StatementRecord) throws -> SQL {
    let (name, node) = (record.table.name, record.node)
    let sql = try query.sql { parameter in
      let given = node?.parameters[parameter.name].map(SQL.Binding.parameter)
      let value = record.parameters[parameter.name] ?? parameter.defaultValue
      guard let binding = given ?? value.map(SQL.Binding.value) else {
        throw RequestError.missing(parameter, of: record.names)
      }
      return dialect.parameter(binding, of: parameter.kind)
    }
    let number: SQL =
      record.isNumbered ? ", row_number() OVER () AS \(identifier: StatementRecord.rowNumber)" : SQL()
    let rows: SQL =
      "(WITH RECURSIVE \(identifier: name) AS (\(sql)) SELECT *\(number) FROM \(identifier: name)) AS \(identifier: record.alias)"
    return record.table.isTimeless ? rows : rows.noted(PlanNote.volatile)
  }

  /// Returns a subquery, whose tables have their rules inside it.
  ///
  /// - Parameter isLateral: Whether it reads tables before it.
  func reference(toRowsOf subquery: SQL, as alias: String, isLateral: Bool = false) -> TableReference {
    let rows: SQL = isLateral ? "LATERAL (\(subquery))" : "(\(subquery))"
    return TableReference(sql: "\(rows) AS \(identifier: alias)", rule: nil)
  }

  /// Returns a full-text index, which is joined to records whose rule applies to both.
  func reference(to fullText: FullText, as alias: String) -> TableReference {
    TableReference(sql: .table(fullText.table, as: alias), rule: nil)
  }

  private func index(of table: Table, _ columns: [String], _ collations: [String]) -> MissingIndex {
    let terms = zip(columns, collations).map { column, collation in
      table.column(named: column)?.collation.equalsIgnoringCase(collation) ?? true
        ? MissingIndex.Term(column)
        : MissingIndex.Term(column, "\(identifier: column) COLLATE \(identifier: collation)")
    }
    return MissingIndex(on: table, dialect.indexedTable(table), terms)
  }

  /// Returns the columns of a foreign key that no index can serve because the referenced columns have another type.
  private func mismatches(
    _ comparisons: [KeyComparison?], of record: StatementRecord, from origin: StatementRecord
  ) -> [PlanNote] {
    comparisons.compactMap { comparison in
      guard let comparison, !comparison.hasOneAffinity else { return nil }
      let (referring, referred) = (comparison.referring, comparison.referred)
      guard !record.resource.hidden.contains(referring.name), !origin.resource.hidden.contains(referred.name)
      else { return nil }
      return .mismatch(
        "\(referring.description(of: record.table)) refers to \(referred.description(of: origin.table)): no index can be used while the types differ; declare the same type for both"
      )
    }
  }
}

extension Model {
  /// Returns the `WITH` clause that defines common table expressions without parameters, and the expressions that they
  /// read; empty if there are none.
  package func commonTableExpressions(_ names: Set<String>) -> SQL {
    guard !names.isEmpty else { return SQL() }
    let definitions = tables.values.compactMap { table -> (name: String, sql: String)? in
      guard case .commonTableExpression(let sql) = table.kind, table.query == nil else { return nil }
      // SQLite would give the values of a compound SELECT the affinity of its first part where it is read twice.
      return (table.name, "\(table.isCompound ? "NOT MATERIALIZED " : "")(\(sql))")
    }
    return SQL(trusted: CommonTableExpressions(definitions).clause(for: names.sorted()))
  }
}

/// A table as a `FROM` clause names it, and the access rule of its records.
///
/// `FROM` clauses are built from these alone, so no statement reads a table without its rule.
package struct TableReference {
  private let table: SQL
  /// The notes about its use.
  var notes: [PlanNote] = []
  /// Nil if all records are visible.
  let rule: SQL?
  /// The record whose table it is; nil for subqueries and copies.
  let record: RecordID?

  /// The table with its alias.
  var sql: SQL { notes.reduce(table) { $0.noted($1) } }

  fileprivate init(sql: SQL, rule: SQL?, record: RecordID? = nil) {
    table = sql
    self.rule = rule
    self.record = record
  }

  /// A transient table of pointers to records, whose own reference has the rule.
  package init(indexIn transient: TransientTable, as alias: String) {
    self.init(sql: transient.reference(as: alias), rule: nil)
  }

  /// Returns a copy of the table, which holds all of its records.
  package func copied(to transient: TransientTable, as alias: String) -> TableReference {
    var copy = TableReference(sql: transient.reference(as: alias), rule: rule)
    copy.notes = notes
    return copy
  }
}

extension SQL {
  /// - Parameter isGathered: Whether the rows of a distributed table are a subquery that is computed by itself, and are then
  ///   sent to all shards of the others.
  fileprivate static func table(_ table: Table, as alias: String, isGathered: Bool) -> SQL {
    let rows: SQL = isGathered ? "(SELECT * FROM \(table.rows) OFFSET 0)" : table.rows
    let sql: SQL =
      !isGathered && table.substitute == nil && alias == table.nameInSchema
      ? rows : "\(rows) AS \(identifier: alias)"
    return table.isTimeless ? sql : sql.noted(PlanNote.volatile)
  }

  fileprivate static func table(_ name: String, as alias: String) -> SQL {
    alias == name ? "\(identifier: name)" : "\(identifier: name) AS \(identifier: alias)"
  }
}

// MARK: - Links

extension TableSources {
  /// Returns the conditions that link the records of a source to the record of `origin`, column by column.
  func links(
    _ step: AssociationStep, from origin: StatementRecord, to source: TableSource,
    in statement: StatementBuilder
  ) throws -> [SQL] {
    let values = step.originColumns.map { origin.column($0, in: statement) }
    let rules = try guards(step, of: source.record, beside: origin.isIn(statement) ? origin : nil)
    return pairs(step, of: source, with: values).enumerated().map { number, pair in
      let isMixed = source.isMixed && !pair.value.reads { _ in true }
      let link =
        isMixed
        ? dialect.isEqual(pair.key, pair.value) : dialect.isRelated(pair, isPeriod: step.isPeriod(number))
      return source.record.colocated(
        by: link.behind(rules), to: origin, step, number, values[number], in: statement)
    }
  }

  /// Returns the rules that must hold before the columns of a step are compared, because computing them could disclose a
  /// record.
  ///
  /// - Parameter origin: The record that the step starts from, unless its columns are bound values.
  private func guards(
    _ step: AssociationStep, of record: StatementRecord, beside origin: StatementRecord?
  ) throws -> [SQL] {
    guard context.restrictsRows else { return [] }
    var exposure = Exposure()
    if record.computes(step.destinationColumns) { exposure.add(record) }
    if let origin, origin.computes(step.originColumns) { exposure.add(origin) }
    return exposure.records.isEmpty ? [] : try context.rules.rules(of: exposure, in: record.select)
  }

  /// Returns the keys of a source with the values that they must equal, as the dialect compares them.
  private func pairs(_ step: AssociationStep, of source: TableSource, with values: [SQL]) -> [KeyPair] {
    let comparisons = model.comparisons(of: step)
    return source.keys.indices.map { number in
      dialect.compared(
        KeyPair(
          key: source.keys[number], value: values[number], comparison: comparisons[number],
          isReferredTo: step.direction == .belongsTo, isConverted: source.isConverted))
    }
  }

  /// Returns the condition that links the records of a source to those of a subquery: `keys IN (SELECT …)`.
  ///
  /// - Parameters:
  ///   - pivot: The record that the step starts from.
  ///   - from: The clauses of the subquery that finds it, from `FROM` on.
  func membership(
    _ step: AssociationStep, from pivot: StatementRecord, to source: TableSource, among from: SQL
  ) throws -> SQL {
    let pairs = pairs(step, of: source, with: step.originColumns.map { SQL.column(pivot.id, $0) })
    let (keys, values) = (pairs.map(\.key), pairs.map(\.value))
    let plain = step.hasPeriod ? overlap(step, pairs, among: from) : keys.isAmong(values, from)
    let link = plain.behind(try guards(step, of: source.record, beside: nil))
    for number in keys.indices {
      let linked = source.record.colocated(
        by: link, to: pivot, step, number, values[number], in: pivot.statement)
      if linked != link { return linked }
    }
    return link
  }

  /// A name that no table has.
  private static let ways = "kindred:ways"

  /// Returns the condition that a row of a subquery has the keys of a step, and overlaps the period that is the last one.
  private func overlap(_ step: AssociationStep, _ pairs: [KeyPair], among from: SQL) -> SQL {
    let columns = pairs.indices.map { "k\($0)" }
    let values = zip(pairs, columns).map { "\($0.value) AS \(identifier: $1)" as SQL }
    let links = pairs.indices.map { number in
      var pair = pairs[number]
      pair.value = "\(identifier: Self.ways).\(identifier: columns[number])"
      return dialect.isRelated(pair, isPeriod: step.isPeriod(number))
    }
    return
      "EXISTS (SELECT 1 FROM (SELECT \(values.joined(separator: ", ")) \(from)) AS \(identifier: Self.ways) WHERE \(links.joined(separator: " AND ")))"
  }
}

extension [SQL] {
  /// Returns the condition that these keys are among the values of the rows of a subquery.
  fileprivate func isAmong(_ values: [SQL], _ from: SQL) -> SQL {
    let list = joined(separator: ", ")
    return "\(count == 1 ? list : "(\(list))") IN (SELECT \(values.joined(separator: ", ")) \(from))"
  }
}

extension StatementRecord {
  /// Whether the values of its columns are computed in a statement, and not bound to it.
  fileprivate func isIn(_ statement: StatementBuilder) -> Bool {
    self.statement === statement && constants == nil
  }

  /// Returns whether one of these columns isn't stored.
  fileprivate func computes(_ columns: [String]) -> Bool {
    columns.contains { table.column(named: $0)?.isStored == false }
  }
}

extension Table {
  /// The columns that a copy of the table has in addition to those by which its records are looked up.
  fileprivate var columnsOfCopy: [String] { pointerColumns.isEmpty ? columns.map(\.name) : pointerColumns }
}

extension RequestError {
  /// Returns the error of a parameter for which neither the request nor the model has a value.
  static func missing(_ parameter: QueryParameter, of record: NameScope) -> RequestError {
    var keys: [String] = []
    var scope: NameScope? = record
    while let node = scope?.node, node.association != nil {
      keys.insert(node.key, at: 0)
      scope = scope?.parent
    }
    let name = (keys + [parameter.name]).joined(separator: ".")
    return RequestError(
      .missingParameter,
      "`\(record.resource.name)` needs the parameter `\(parameter.name)` (\(parameter.kind.rawValue)); "
        + (record.node == nil
          ? "include or join the association, and give it there" : "add `\(name)=…`"),
      at: keys.isEmpty ? record.node.map { _ in Origin(parameter: name) } : record.node?.origin)
  }
}

extension Column {
  fileprivate func description(of table: Table) -> String {
    "\(table.name).\(name) (\(declaredType.isEmpty ? "no type" : declaredType))"
  }
}
