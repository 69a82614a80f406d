import KindredSQLSyntax

/// The values that a select for many parent records reads from them: a table with a row for each parent, which has its
/// number and a column for each value.
package struct ParentInputs {
  private static let table: SQL = "\(identifier: "kindred:above")"
  private static let numberName: SQL = "\(identifier: "kindred:n")"
  /// The number of the parent.
  package static let number = SQL.term("\(table).\(numberName)")
  /// A placeholder for the source until all columns are known.
  package static let place = SQL.term(table)

  private let dialect: any SQLDialect
  /// The literals that are the key of a record, where each of the parents has another one.
  private let keys: Set<Int>
  /// The bindings that it has in place of, in the order of its columns.
  package private(set) var columns: [SQL.Binding] = []
  private var types: [String?] = []

  package init(_ dialect: any SQLDialect, keys: Set<Int> = []) { (self.dialect, self.keys) = (dialect, keys) }

  private static func name(_ number: Int) -> SQL { "\(identifier: "kindred:\(number)")" }

  /// Returns an expression that reads the parents from the inputs.
  package mutating func localized(_ sql: SQL) -> SQL {
    sql.replacingBindings { binding, type in
      switch binding {
      case .ancestor: break
      case .parameter(let number) where keys.contains(number): break
      default: return nil
      }
      // `unnest` would flatten an array of arrays completely.
      let arrayType = type.flatMap { $0.hasSuffix("[]") ? $0 : nil }
      let number =
        columns.firstIndex(of: binding)
        ?? {
          columns.append(binding)
          types.append(arrayType == nil ? type : nil)
          return columns.count - 1
        }()
      let value: SQL = "\(Self.table).\(Self.name(number))"
      return arrayType.map { "(\(value)::\(SQL(trusted: $0)))" } ?? value
    }
  }

  /// The parents in a `FROM` clause.
  package var source: SQL {
    dialect.inputs(
      zip(columns.indices.map(Self.name), types).map { ($0, $1) }, number: Self.numberName, named: Self.table)
  }
}

extension RecordSelect {
  /// Returns the rows of many parents at once, each with the number of its parent in the last column.
  ///
  ///     SELECT columns, above.n FROM inputs AS above(…, n) CROSS JOIN book
  ///     WHERE book."authorId" = above."0" GROUP BY above.n, group ORDER BY order
  ///
  /// - Parameter first: The first term of the order.
  package func batch(_ inputs: inout ParentInputs, orderedBy first: OrderTerm? = nil) -> SQL {
    let from = inputs.localized(source.sql(outer: ParentInputs.place))
    let columns = (columns + [ParentInputs.number]).map { inputs.localized($0) }
    let group = (group ?? []).map { inputs.localized($0) }
    let havings = havings.map { inputs.localized($0) }
    let terms = ((first.map { [$0] } ?? []) + order).map { term in
      inputs.localized(term.rendered(as: term.sql, dialect))
    }
    return Select(
      columns: columns, isDistinct: isOfDistinctRows,
      from: from.replacing(term: ParentInputs.place, with: inputs.source),
      group: group.isEmpty ? [] : [ParentInputs.number] + group, havings: havings, order: terms
    ).sql
  }
}
