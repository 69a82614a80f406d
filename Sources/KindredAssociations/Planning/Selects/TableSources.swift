import KindredSQLSyntax
import OrderedCollections

/// A table in a `FROM` clause, and its columns that lead to it.
struct TableSource {
  /// What joins to each other, the table itself last.
  var items: [(table: TableReference, condition: SQL?)] = []
  /// The columns to be equal to those of the origin.
  var keys: [SQL]
  /// Whether the keys refer to columns that compare values otherwise, and hold what is equal to these.
  var isConverted = false

  /// The columns of a record whose table is in the `FROM` clause already.
  init(columns: [String], of scope: Scope) {
    keys = columns.map { .column(scope.record, $0) }
  }
}

/// How the records of a table are found: by an index, or by a transient table where there is none.
struct TableSources {
  let context: PlanningContext

  private var state: PlanningState { context.state }
  private var model: Model { context.state.model }
  private var dialect: any SQLDialect { context.dialect }

  /// The table of `scope`, to be found by the columns that `step` leads to.
  ///
  /// - Parameters:
  ///   - origin: the record that it leads from.
  ///   - isRepeated: whether it is searched often: then it must not be scanned.
  func source(
    of scope: Scope, by step: AssociationStep, from origin: Scope, isRepeated: Bool
  ) throws -> TableSource {
    let (table, columns) = (scope.table, step.destinationColumns)
    var source = TableSource(columns: columns, of: scope)
    source.items = [(table: try reference(to: scope), condition: nil)]
    guard !columns.isEmpty else { return source }
    let comparisons = model.comparisons(of: step)
    // What refers is found by the index of another affinity never, and by that of the right collation only.
    let refers = step.direction == .has
    let isConverted = refers && comparisons.contains { $0?.hasOneAffinity == false }
    let collations = refers ? comparisons.map { $0?.referred.collation } : columns.map { _ in nil }
    let indexed = zip(columns, collations).map { $1 ?? table.column(named: $0)?.collation ?? "BINARY" }
    guard isConverted || !table.isIndexed(columns, collations: indexed) else { return source }
    if case .table = table.kind {
      if isConverted {
        noteMismatches(comparisons, of: scope, from: origin)
      } else {
        state.missingIndexes.append(createIndex(on: table, columns, indexed))
      }
    }
    guard dialect.nestsStatements else { return source }
    // A value that is bound has no affinity by which another one could be converted.
    let isBound = origin.constants != nil || origin.statement !== scope.statement
    guard isRepeated && !state.isForOneRecord || (isConverted && isBound), table.kind != .ofRequest else {
      return source
    }
    return copied(source, of: scope, by: columns, comparisons: refers ? comparisons : [])
  }

  /// The same by a transient table.
  private func copied(
    _ source: TableSource, of scope: Scope, by columns: [String], comparisons: [KeyComparison?]
  ) -> TableSource {
    let keys = columns.enumerated().map { number, name in
      TransientTable.Key(
        scope.table.column(named: name) ?? Column(name: name),
        comparison: comparisons.indices.contains(number) ? comparisons[number] : nil)
    }
    let transient = transientTable(of: scope.table, by: keys)
    var source = source
    source.isConverted = true
    let pointers = scope.table.pointerColumns
    guard !pointers.isEmpty else {
      source.items[0].table = source.items[0].table.copied(to: transient, as: scope.alias)
      source.keys = zip(keys, source.keys).enumerated().map { number, key in
        key.0.isConverted ? .column(scope.record, TransientTable.keyName(number)) : key.1
      }
      return source
    }
    let index = RecordID(alias: scope.select.alias(for: "index"), depth: scope.select.depth)
    let pointing: [SQL] = pointers.enumerated().map { number, column in
      "\(SQL.column(scope.record, column)) = \(SQL.column(index, "p\(number)"))"
    }
    source.items.insert((table: TableReference(indexIn: transient, as: index.alias), condition: nil), at: 0)
    source.items[1].condition = pointing.joined(separator: " AND ")
    source.keys = columns.indices.map { .column(index, "k\($0)") }
    return source
  }

  /// The table of `scope` in a `FROM` clause, with the rule that its records are under.
  func reference(to scope: Scope) throws -> TableReference {
    if case .commonTableExpression = scope.table.kind { scope.statement.readsCommonTableExpression = true }
    return TableReference(
      sql: .table(scope.table, as: scope.alias), rule: try context.rules.rule(of: scope), record: scope.record
    )
  }

  /// A subquery in a `FROM` clause, whose tables have their rules within it.
  ///
  /// - Parameter isLateral: whether it reads what stands before it.
  func reference(toRowsOf subquery: SQL, as alias: String, isLateral: Bool = false) -> TableReference {
    let rows: SQL = isLateral ? "LATERAL (\(subquery))" : "(\(subquery))"
    return TableReference(sql: "\(rows) AS \(identifier: alias)", rule: nil)
  }

  /// A full-text index in a `FROM` clause: it is joined to records, whose rule applies to both.
  func reference(to fullText: FullText, as alias: String) -> TableReference {
    TableReference(sql: .table(fullText.table, as: alias), rule: nil)
  }

  private func createIndex(on table: Table, _ columns: [String], _ collations: [String]) -> String {
    let name = ([table.name, "on"] + columns).joined(separator: "_")
    let list = zip(columns, collations).map { column, collation -> SQL in
      table.column(named: column)?.collation.equalsIgnoringCase(collation) ?? true
        ? "\(identifier: column)" : "\(identifier: column) COLLATE \(identifier: collation)"
    }
    return
      ("CREATE INDEX \(identifier: name) ON \(identifier: table.name) (\(list.joined(separator: ", ")))"
      as SQL)
      .rendered().text
  }

  /// Notes the columns of a foreign key that no index can find, since what they refer to is of another type.
  private func noteMismatches(_ comparisons: [KeyComparison?], of scope: Scope, from origin: Scope) {
    for case .some(let comparison) in comparisons where !comparison.hasOneAffinity {
      let (referring, referred) = (comparison.referring, comparison.referred)
      guard !scope.resource.hidden.contains(referring.name), !origin.resource.hidden.contains(referred.name)
      else {
        continue
      }
      state.mismatches.append(
        "\(referring.description(of: scope.table)) refers to \(referred.description(of: origin.table)): no index finds it while the types differ; declare the same type"
      )
    }
  }

  private func transientTable(of table: Table, by keys: [TransientTable.Key]) -> TransientTable {
    let transient = TransientTable(
      of: table, by: keys, commonTableExpressions: commonTableExpressions(for: table))
    state.transients[transient.name] = transient
    return transient
  }

  /// The `WITH` clause of a statement that reads `table`; empty where it needs none.
  private func commonTableExpressions(for table: Table) -> SQL {
    if case .commonTableExpression = table.kind { model.commonTableExpressions } else { SQL() }
  }
}

extension Model {
  /// The `WITH` clause that defines all of its common table expressions: each may read the others.
  var commonTableExpressions: SQL {
    let definitions: [SQL] = tables.values.compactMap { table in
      guard case .commonTableExpression(let sql) = table.kind else { return nil }
      return "\(identifier: table.name) AS (\(SQL(trusted: sql)))"
    }
    return "WITH \(definitions.joined(separator: ", ")) "
  }
}

/// A table as a `FROM` clause names it, and what must hold for its records to be in sight.
///
/// Nothing else gets into a `FROM` clause, and both go in together: so no statement reads a table without its rule.
struct TableReference {
  let sql: SQL
  /// Nil where all records are in sight.
  let rule: SQL?
  /// The record whose table it is, as it is; nil for another one, or a copy.
  let record: RecordID?

  fileprivate init(sql: SQL, rule: SQL?, record: RecordID? = nil) {
    self.sql = sql
    self.rule = rule
    self.record = record
  }

  /// The pointers to records that a transient table holds: the rule is that of the records.
  fileprivate init(indexIn transient: TransientTable, as alias: String) {
    self.init(sql: transient.reference(as: alias), rule: nil)
  }

  /// A copy of the table, which holds all of its records.
  fileprivate func copied(to transient: TransientTable, as alias: String) -> TableReference {
    TableReference(sql: transient.reference(as: alias), rule: rule)
  }
}

extension SQL {
  fileprivate static func table(_ table: Table, as alias: String) -> SQL {
    guard let schema = table.schema else { return .table(table.name, as: alias) }
    return "\(identifier: schema).\(SQL.table(table.name, as: alias))"
  }

  fileprivate static func table(_ name: String, as alias: String) -> SQL {
    alias == name ? "\(identifier: name)" : "\(identifier: name) AS \(identifier: alias)"
  }
}

// MARK: - Links

extension TableSources {
  /// What ties the records of a source to the record of `origin`, column by column.
  ///
  /// It compares as `KeyComparison` says, in a way that an index of the source serves where there is one: the column
  /// referred to stands left, so that its collation decides; `+` takes the affinity from the other, so that its own does.
  func links(
    _ step: AssociationStep, from origin: Scope, to source: TableSource, in statement: StatementBuilder
  ) -> [SQL] {
    let comparisons = model.comparisons(of: step)
    return source.keys.enumerated().map { number, key in
      let value = origin.column(step.originColumns[number], in: statement)
      let comparison = comparisons[number]
      guard let comparison, !comparison.isPlain, dialect.hasAffinities else { return "\(key) = \(value)" }
      switch step.direction {
      case .belongsTo: return "\(key) = +\(value)"
      case .has where source.isConverted: return "\(key) = \(value)"
      case .has where comparison.hasOneAffinity: return "\(key) COLLATE \(comparison.collation) = \(value)"
      case .has: return "\(value) = +\(key)"
      }
    }
  }

  /// The same for records among those that `select` leads to: `keys IN (SELECT …)`.
  ///
  /// - Parameters:
  ///   - pivot: the record that the step leads from.
  ///   - from: the subquery that finds it, from `FROM` on.
  func membership(
    _ step: AssociationStep, from pivot: Scope, to source: TableSource, among from: SQL
  ) -> SQL {
    let comparisons = model.comparisons(of: step)
    var (keys, values) = (source.keys, step.originColumns.map { SQL.column(pivot.record, $0) })
    for (number, comparison) in comparisons.enumerated() {
      guard let comparison, !comparison.isPlain, dialect.hasAffinities else { continue }
      switch step.direction {
      case .belongsTo: values[number] = "+\(values[number])"
      case .has where source.isConverted: break
      case .has:
        let key: SQL = comparison.hasOneAffinity ? keys[number] : "+\(keys[number])"
        keys[number] = "\(key) COLLATE \(comparison.collation)"
      }
    }
    let list = keys.joined(separator: ", ")
    return "\(keys.count == 1 ? list : "(\(list))") IN (SELECT \(values.joined(separator: ", ")) \(from))"
  }
}

extension Column {
  fileprivate func description(of table: Table) -> String {
    "\(table.name).\(name) (\(declaredType.isEmpty ? "no type" : declaredType))"
  }
}

extension KeyComparison {
  /// The collation, as it follows `COLLATE`.
  fileprivate var collation: SQL { "\(identifier: referred.collation)" }
}
