import KindredSQLSyntax

extension RowSelect {
  /// The statement of a collection for many records above at once; nil where it would give other rows.
  ///
  /// Each row has the number of its record last.
  ///
  ///     WITH "kindred:above"("kindred:n", "kindred:0") AS (SELECT key, value FROM json_each(?1)), commonTables
  ///     SELECT columns, "kindred:above"."kindred:n"
  ///     FROM "kindred:above" CROSS JOIN "book" … WHERE "book"."authorId" = "kindred:above"."kindred:0"
  ///
  /// `parameter(0)` is a JSON array: for each record above, the value that is read of it, or an array of several.
  var batch: Plan.Batch? {
    guard statement.level > 0, node.allowsBatches, let root else { return nil }
    var columns: [SQL.Binding] = []
    func local(_ sql: SQL) -> SQL {
      sql.replacingBindings { binding, _ in
        guard case .ancestor = binding else { return nil }
        if !columns.contains(binding) { columns.append(binding) }
        return "\(Self.above).\(Self.aboveColumn(columns.firstIndex(of: binding) ?? 0))"
      }
    }
    let number: SQL = "\(Self.above).\(Self.aboveNumber)"
    let select = local(
      select(
        page: true, columns: statement.columns + [number],
        from: root.scope.select.source.sql(outer: Self.above),
        group: group.isEmpty ? [] : [number] + group))
    let count = columns.count
    // The definition of a table can't see another one beside it.
    guard commonTables.map(local) == commonTables, columns.count == count else { return nil }
    let names = [Self.aboveNumber] + columns.indices.map(Self.aboveColumn)
    let values: [SQL] =
      columns.count == 1 ? ["value"] : columns.indices.map { "value ->> \(.value(.integer(Int64($0))))" }
    let above: SQL =
      "\(Self.above)(\(names.joined(separator: ", "))) AS (SELECT \((["key"] + values).joined(separator: ", ")) FROM json_each(\(.parameter(0))))"
    let with = ([above] + commonTables).joined(separator: ", ")
    return Plan.Batch(columns: columns, statement: Plan.Statement("WITH \(with) \(select)"))
  }

  private static let above: SQL = "\(identifier: "kindred:above")"
  private static let aboveNumber: SQL = "\(identifier: "kindred:n")"
  private static func aboveColumn(_ number: Int) -> SQL { "\(identifier: "kindred:\(number)")" }
}

extension RequestNode {
  /// Whether the rows for many records at once are those for each of them, one after the other.
  var allowsBatches: Bool {
    guard rows.limit == nil, rows.offset == 0 else { return false }
    // An expression may be an aggregate, and is one of all records then, unless they are grouped.
    let isGrouped = !group.isEmpty
    return (isGrouped || (havings.isEmpty && selectsColumns)) && !readsRowID
  }

  /// Whether what is selected, here and of the records joined, is columns and values that are computed apart.
  var selectsColumns: Bool {
    (fields ?? []).allSatisfy(\.isColumn) && annotations.allSatisfy { $0.expression.isColumn }
      && children.allSatisfy { $0.rows.isPrefetched || $0.selectsColumns }
  }

  /// Whether SQL of the program speaks of a rowid without its table, which it may where there is only one.
  private var readsRowID: Bool {
    let selected = (fields ?? []).compactMap { field in
      if case .expression(let item) = field { item.expression } else { nil }
    }
    let expressions = selected + filters + group + havings + (sort ?? []).map(\.expression)
    return expressions.contains(where: \.readsRowID)
  }
}

extension Field {
  fileprivate var isColumn: Bool {
    switch self {
    case .all: true
    case .expression(let item): item.expression.isColumn
    }
  }
}

extension Expression {
  /// Whether it is a column, or a value that is computed apart from the other rows.
  fileprivate var isColumn: Bool {
    switch kind {
    case .program(.column), .program(.aggregate), .program(.count), .program(.exists): true
    case .program(.of(_, let expression)): expression.isColumn
    default: false
    }
  }

  fileprivate var readsRowID: Bool {
    contains { part in
      guard case .program(let expression) = part.kind else { return false }
      switch expression {
      case .raw(let parts):
        return parts.contains { part in
          switch part {
          case .text(let text): text.lowercased().contains("rowid") || text.lowercased().contains("oid")
          case .expression(let expression): expression.readsRowID
          }
        }
      case .of(_, let expression), .among(let expression, _): return expression.readsRowID
      case .column, .aggregate, .count, .exists: return false
      }
    }
  }
}
