import KindredBackend
import KindredModel
import KindredOutput
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// The columns that `set` of a request computes (`set=stock:stock-1`).
///
/// The database computes the values in the transaction of the write, of all records before the first is changed. From
/// then on they are values as those of a content, to which the same rules and limits apply.
struct ComputedChange: Sendable {
  /// A column, and whether its value is the same whatever the records hold.
  private struct Target: Sendable {
    let column: Column
    let isConstant: Bool
  }

  private let targets: [Target]
  private let values: AssignedValues
  /// The literals of the expressions; those of the record's key precede them.
  private let literals: [SQLValue]
  private let assignments: [ColumnAssignment]

  /// The names of the columns.
  var columns: [String] { targets.map(\.column.name) }

  /// - Parameters:
  ///   - parameters: The parameters `set` of a request, at least one.
  ///   - check: Throws if planning must stop.
  /// - Throws: `RequestError`.
  init(
    _ parameters: [QueryParameters.Parameter], of resource: WrittenResource, in version: ModelVersion,
    _ limits: RequestLimits, check: @escaping () throws -> Void
  ) throws {
    var literals = Literals()
    let key = resource.locatorColumns.map {
      RequestPath.KeyColumn(name: $0, literals: [literals.numberOfUnknown()])
    }
    let keyCount = literals.values.count
    var assignments: [ColumnAssignment] = []
    var targets: [Target] = []
    for parameter in parameters {
      var parser = try ExpressionParser(
        parameter.value, at: parameter.origin, literals: literals, maximumDepth: limits.expressionDepth,
        maximumPathLength: limits.treeDepth)
      for item in try parser.parseNamedExpressions() {
        let column = try Self.column(of: item, in: resource)
        guard !targets.contains(where: { $0.column.name.hasBytes(of: column.name) }) else {
          throw RequestError(
            .duplicateName, "`set` has `\(column.name)` twice; leave one out", at: item.expression.origin)
        }
        targets.append(Target(column: column, isConstant: item.expression.firstNameOfRecord == nil))
        assignments.append(ColumnAssignment(column: column.name, expression: item.expression))
      }
      literals = parser.collectedLiterals
    }
    (self.targets, self.assignments) = (targets, assignments)
    self.literals = Array(literals.values.dropFirst(keyCount))
    let planner = version.planner(limits: limits.planning, check: check)
    values = AssignedValues(
      try planner.values(
        of: assignments, at: RequestPath(resource: resource.name, segments: [.record(key)]), literals))
  }

  private static func column(of item: NamedExpression, in resource: WrittenResource) throws -> Column {
    let origin = item.expression.origin
    guard let name = item.name else {
      throw RequestError(
        .missingName, "an item of `set` begins with a column; write it as `stock:stock-1`", at: origin)
    }
    guard let column = resource.writableColumns.first(named: name) else {
      throw RequestError.unknown(
        name, .unknownColumn, "`\(name)` is not a column of \(resource.name)",
        among: resource.columns.filter { !$0.isGenerated }.map(\.name), at: origin)
    }
    guard !column.isGenerated else {
      throw RequestError(
        .invalidValue, "`\(name)` is computed from other columns, so `set` can't set it; leave it out",
        at: origin)
    }
    return column
  }

  /// Returns the columns of the foreign keys that it gives values: the values that they had aren't tested.
  func columnsOfReferences(of resource: WrittenResource) -> [String] {
    resource.columnsOfReferences(in: NameSet(columns))
  }

  /// Returns whether the expressions read only stored columns of their own record.
  func readsOnlyRecord(of table: Table) -> Bool {
    assignments.allSatisfy { $0.expression.readsOnlyRecord(of: table) }
  }

  /// - Throws: `RequestError` if a draft has a column that is computed, itself or by a record that it refers to.
  func check(_ draft: RecordDraft) throws {
    let referring = draft.nested.flatMap { nested in
      if case .belongsTo(let step) = nested.linkage { step.originColumns } else { [String]() }
    }
    guard let column = columns.first(where: (draft.namedColumns + referring).containsExactly) else { return }
    throw RequestError(
      .duplicateName, "`\(column)` is in the content and in `set`; leave one out",
      at: Origin(parameter: Self.parameter))
  }

  /// Returns the drafts of changes with the values that the records have for the columns.
  ///
  /// - Throws: `Problem` (422) if a column can't store a value.
  func computed(
    _ updates: [(record: StoredRecord, draft: RecordDraft)], of resource: WrittenResource,
    by writer: RecordWriter
  ) throws -> [RecordDraft] {
    let rows = try writer.inGroups(updates) { updates in
      try writer.rows(
        of: values.lookup, updates.map { $0.record.values(of: resource.locatorColumns) + literals })
    }
    return try zip(updates, rows).map { update, row in
      guard let row else { throw RequestError(.notFound, "the record doesn't exist") }
      var draft = update.draft
      for (target, value) in zip(targets, values.values(in: row)) {
        draft.assignments.append(
          RecordDraft.Assignment(
            column: target.column.name, value: try Self.stored(value, in: target),
            source: .computed(isConstant: target.isConstant)))
      }
      return draft
    }
  }

  /// Returns what a column stores for a computed value, as for the same value in a content.
  private static func stored(_ value: SQLValue, in target: Target) throws -> SQLValue {
    let column = target.column
    guard column.affinity.isNumeric, column.valueFormat != .json, !column.isComposed else { return value }
    if case .real(let real) = value, column.affinity == .integer, let whole = Int64(exactly: real) {
      return .integer(whole)
    }
    guard case .text(let text) = value else { return value }
    do throws(Column.Refusal) {
      return try column.value(ofUntypedText: text)
    } catch let refusal {
      guard target.isConstant else { throw Problem.refused(refusal.message, byParameter: parameter) }
      throw RequestError(.invalidValue, refusal.message, at: Origin(parameter: parameter))
    }
  }

  /// The name of the parameter.
  static let parameter = "set"
}

extension RecordDraft {
  /// Returns a problem with a value of the draft, at its place: a computed value is at none in the content.
  func placed(_ problem: Problem, for error: (any BackendError)? = nil) -> Problem {
    let computed = assignments.filter(\.isComputed)
    guard !computed.isEmpty else { return problem }
    let named = computed.first { problem.pointer == (pointer + $0.column).fragment }
    // What isn't about one column may be about any.
    let isOfAny =
      problem.pointer == pointer.fragment && computed.count == assignments.count(where: \.isChosen)
    guard named != nil || isOfAny else { return problem }
    var placed = problem
    placed.pointer = nil
    placed.parameter = ComputedChange.parameter
    guard error?.constraint == .dataType,
      (named.map { [$0] } ?? computed).allSatisfy({ $0.source == .computed(isConstant: true) })
    else { return placed }
    return Problem(
      RequestError(.invalidValue, problem.detail, at: Origin(parameter: ComputedChange.parameter)))
  }
}
