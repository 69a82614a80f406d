import KindredModel
import KindredSQLSyntax

extension RowSelect {
  /// The statement of a collection for many parents at once; nil if its rows would differ.
  ///
  /// The last column is the number of the row's parent.
  ///
  ///     WITH "kindred:above"("kindred:n", "kindred:0") AS (SELECT key, value FROM json_each(?1)), commonTables
  ///     SELECT columns, "kindred:above"."kindred:n"
  ///     FROM "kindred:above" CROSS JOIN "book" … WHERE "book"."authorId" = "kindred:above"."kindred:0"
  ///
  /// `batch(0)` is a JSON array with the value read from each parent, or an array of several values.
  var batch: Plan.Batch? {
    guard statement.level > 0, node.allowsBatches else { return nil }
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
        from: root.record.select.source.sql(outer: Self.above),
        group: group.isEmpty ? [] : [number] + group))
    let count = columns.count
    // A common table expression can't read the one of the parents.
    guard commonTables.map(local) == commonTables, columns.count == count else { return nil }
    let names = [Self.aboveNumber] + columns.indices.map(Self.aboveColumn)
    let values: [SQL] =
      columns.count == 1 ? ["value"] : columns.indices.map { "value ->> \(.value(.integer(Int64($0))))" }
    let above: SQL =
      "\(Self.above)(\(names.joined(separator: ", "))) AS (SELECT \((["key"] + values).joined(separator: ", ")) FROM json_each(\(.batch(0))))"
    let with = ([above] + commonTables).joined(separator: ", ")
    return Plan.Batch(columns: columns, statement: Plan.Statement("WITH \(with) \(select)"))
  }

  private static let above: SQL = "\(identifier: "kindred:above")"
  private static let aboveNumber: SQL = "\(identifier: "kindred:n")"
  private static func aboveColumn(_ number: Int) -> SQL { "\(identifier: "kindred:\(number)")" }
}

extension RequestNode {
  /// Whether a statement for many parents has the same rows as one statement for each.
  var allowsBatches: Bool {
    guard rows.limit == nil, rows.offset == 0 else { return false }
    // An expression may be an aggregate, which covers all records unless they are grouped.
    let isGrouped = !group.isEmpty
    return (isGrouped || (havings.isEmpty && selectsNoAggregate)) && !readsRowID
  }

  /// Whether nothing that is selected may be an aggregate of the rows, here and from the joined records.
  var selectsNoAggregate: Bool {
    (fields ?? []).allSatisfy(\.isOfOneRow) && annotations.allSatisfy { $0.expression.isOfOneRow }
      && children.allSatisfy { $0.rows.isPrefetched || $0.selectsNoAggregate }
  }

  /// Whether SQL of the program may use `rowid` without a table, which is ambiguous if there are several.
  private var readsRowID: Bool {
    expressions.contains(where: \.readsRowID) || joinedNodes.contains(where: \.readsRowID)
  }
}

extension Field {
  fileprivate var isOfOneRow: Bool {
    switch self {
    case .all: true
    case .expression(let item): item.expression.isOfOneRow
    }
  }
}

extension Expression {
  /// Whether it is certainly no aggregate, which would combine rows into one.
  fileprivate var isOfOneRow: Bool {
    switch kind {
    case .program(.column), .program(.aggregate), .program(.count), .program(.exists), .program(.scalar): true
    case .program(.of(_, let expression)), .program(.among(let expression, _)): expression.isOfOneRow
    case .program(.raw), .program(.search): false
    case .function(let name, let arguments, _):
      ExpressionFunctions.groupAggregate(name, argumentCount: arguments.count) == nil
        && arguments.allSatisfy(\.isOfOneRow)
    default: parts.allSatisfy(\.isOfOneRow)
    }
  }

  fileprivate var readsRowID: Bool {
    contains { part in
      guard case .program(let expression) = part.kind else { return false }
      switch expression {
      case .raw(let parts):
        return parts.contains { part in
          switch part {
          case .text(let text): text.namesRowID
          case .expression(let expression): expression.readsRowID
          }
        }
      case .of(_, let expression), .among(let expression, _): return expression.readsRowID
      case .search: return true
      case .column, .aggregate, .count, .exists, .scalar: return false
      }
    }
  }
}

extension String {
  /// Whether a word of it is a name of the rowid (<https://www.sqlite.org/lang_createtable.html#rowid>).
  fileprivate var namesRowID: Bool {
    let words = unicodeScalars.split { scalar in
      scalar.isASCII && !scalar.properties.isAlphabetic && scalar != "_" && !("0"..."9").contains(scalar)
        && scalar != "$"
    }
    return words.contains { word in
      ["rowid", "oid", "_rowid_"].contains(where: String(word).equalsIgnoringCase)
    }
  }
}
