import OracleValues

/// A description of a request, which each library builds by the same calls.
package struct RandomRequest: Sendable, Hashable {
  package var table: String
  package var chain = Chain()
  package var limit: Limit?
}

package struct Limit: Sendable, Hashable {
  package var count: Int
  package var offset: Int?
}

/// Calls on a request or on an association, in order.
package struct Chain: Sendable, Hashable {
  package var calls: [Call] = []
}

package indirect enum Call: Sendable, Hashable {
  case filter(Condition)
  case order([OrderTerm])
  case reversed
  case select([String])
  /// A column under another name.
  case annotate(column: String, name: String)
  case distinct
  /// One row per value of a column, with the greatest of another: `select(column, max(other)).group(column)`.
  case greatest(other: String, of: String)
  /// The same number of records in each collection.
  case limit(Limit)
  case aliased(Int)
  case join(Joining, AssociationUse)
  /// Columns of an associated record, each under a name.
  case annotateAssociated(isRequired: Bool, AssociationUse, columns: [Renamed])
  case aggregate(Aggregate, name: String?)
  case having(Aggregate)
}

package struct Renamed: Sendable, Hashable {
  package var column: String
  package var name: String
}

package enum Joining: String, Sendable, Hashable, CaseIterable {
  case includingRequired = "including(required:"
  case includingOptional = "including(optional:"
  case includingAll = "including(all:"
  case joiningRequired = "joining(required:"
  case joiningOptional = "joining(optional:"

  package var isRequired: Bool { self == .includingRequired || self == .joiningRequired }
  package var isIncluded: Bool { self == .includingRequired || self == .includingOptional }
}

/// An association of the model with the calls that refine it in one place.
package struct AssociationUse: Sendable, Hashable {
  package var name: String
  package var key: String?
  package var chain = Chain()
}

package struct OrderTerm: Sendable, Hashable {
  package var operand: Operand
  package var isDescending: Bool
}

/// A column of the current record, or of the record of an alias.
package struct Operand: Sendable, Hashable {
  package var alias: Int?
  package var column: String
}

package enum Comparison: String, Sendable, Hashable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

package indirect enum Condition: Sendable, Hashable {
  case value(Operand, Comparison, Value)
  case operands(Operand, Comparison, Operand)
  case isNull(Operand, negated: Bool)
  case among(Operand, [Value])
  case exists(alias: Int)
  case both(Condition, Condition)
  case either(Condition, Condition)
  case not(Condition)
}

package indirect enum Aggregate: Sendable, Hashable {
  package enum Function: String, Sendable, Hashable, CaseIterable {
    case count, isEmpty, min, max, average, sum, total
  }
  package enum Operation: String, Sendable, Hashable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
  }

  case of(AssociationUse, Function, column: String)
  case arithmetic(Aggregate, Operation, Aggregate)
  case otherwise(Aggregate, Int64)
  case absolute(Aggregate)
  case length(Aggregate)
  case value(Aggregate, Comparison, Value)
  case compared(Aggregate, Comparison, Aggregate)
  case both(Aggregate, Aggregate)
  case either(Aggregate, Aggregate)
  case not(Aggregate)

  /// The aggregates of associations that it contains.
  package var uses: [(use: AssociationUse, function: Function)] {
    switch self {
    case .of(let use, let function, _): [(use, function)]
    case .arithmetic(let left, _, let right), .compared(let left, _, let right), .both(let left, let right),
      .either(let left, let right):
      left.uses + right.uses
    case .otherwise(let one, _), .absolute(let one), .length(let one), .value(let one, _, _), .not(let one):
      one.uses
    }
  }
}
