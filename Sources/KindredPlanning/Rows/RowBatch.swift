import KindredModel
import KindredSQLSyntax

extension RecordSelect {
  /// The rows of a collection for many parents at once; nil if they would differ.
  var batchOfRows: BatchSelect? {
    // A common table expression can't read the table of the parents.
    guard record.node?.allowsBatches == true, !commonTables.contains(where: \.readsRowsAbove) else {
      return nil
    }
    var inputs = ParentInputs(dialect)
    let sql = batch(&inputs)
    return BatchSelect(columns: inputs.columns, sql: sql)
  }
}

extension RequestNode {
  /// Whether a statement for many parents has the same rows as one statement for each.
  var allowsBatches: Bool {
    guard rows.limit == nil, rows.offset == nil else { return false }
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
