import KindredModel
import KindredSQLSyntax

/// A compiled term of an order.
package struct OrderTerm {
  package var sql: SQL
  package var isDescending = false
  package var nulls: SortTerm.Nulls?
  /// Whether it may be NULL.
  package var isNullable = true
  /// The type of its values; nil if unknown.
  var type: ValueType?
  /// The same aggregate for all records in one pass, if it is one.
  var grouped: GroupedAggregate?
  /// Whether its value could disclose a record, by an error or by its duration.
  var mayDisclose = false

  package init(sql: SQL) { self.sql = sql }

  package init(
    _ compiled: CompiledExpression, isDescending: Bool = false, nulls: SortTerm.Nulls? = nil
  ) {
    sql = compiled.sql(within: .collate)
    self.isDescending = isDescending
    self.nulls = nulls
    isNullable = compiled.isNullable
    type = compiled.type
    grouped = compiled.grouped.flatMap { $0.isJoined ? nil : $0 }
  }

  /// Whether NULLs come first; by default, they are the least values.
  var nullsComeFirst: Bool { nulls.map { $0 == .first } ?? !isDescending }

  /// The term of the opposite order.
  var reversed: OrderTerm {
    var term = self
    term.isDescending.toggle()
    term.nulls = nulls.map { $0 == .first ? .last : .first }
    return term
  }

  package func rendered(as expression: SQL, _ dialect: any SQLDialect) -> SQL {
    dialect.order(expression, isDescending: isDescending, nulls: nulls, isNullable: isNullable)
  }
}

/// A term of an order while its select is built, and the records that it reads.
struct ExposedTerm {
  let term: OrderTerm
  let exposure: Exposure

  init(_ term: OrderTerm, _ exposure: Exposure = Exposure()) {
    var term = term
    term.mayDisclose = exposure.mayDisclose
    (self.term, self.exposure) = (term, exposure)
  }

  /// Returns whether it reads a value that the client may not.
  ///
  /// - Parameter root: The record that is ordered.
  func readsHidden(of root: StatementRecord) -> Bool {
    let records = exposure.records + [root]
    return term.sql.reads(columnWhere: { id, name in
      guard let record = records.first(where: { $0.id == id }) else { return root.names.model.hidesColumns }
      // An integer key doesn't change, and all of them have one length.
      return record.resource.hidden.contains(name) && record.table.rowIDColumn != name
    })
  }
}
