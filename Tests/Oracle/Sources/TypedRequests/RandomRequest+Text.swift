import OracleValues

/// Requests as the Swift code that builds them.
extension RandomRequest: CustomStringConvertible {
  package var description: String {
    "\(table.prefix(1).uppercased() + table.dropFirst()).all()\(chain)"
      + (limit.map { ".limit(\($0.count)\($0.offset.map { ", offset: \($0)" } ?? ""))" } ?? "")
  }
}

extension Chain: CustomStringConvertible {
  package var description: String { calls.map { ".\($0)" }.joined() }
}

extension Call: CustomStringConvertible {
  package var description: String {
    switch self {
    case .filter(let condition): "filter(\(condition))"
    case .order(let terms):
      "order(\(terms.map { "\($0.operand)\($0.isDescending ? ".desc" : "")" }.joined(separator: ", ")))"
    case .reversed: "reversed()"
    case .select(let columns): "select(\(columns.joined(separator: ", ")))"
    case .annotate(let column, let name): "annotated(with: \(column).forKey(\(name)))"
    case .distinct: "distinct()"
    case .greatest(let other, let column):
      "select(\(column), max(\(other)).forKey(greatest)).group(\(column))"
    case .limit(let limit): "limit(\(limit.count)\(limit.offset.map { ", offset: \($0)" } ?? ""))"
    case .aliased(let number): "aliased(alias\(number))"
    case .join(let joining, let use): "\(joining.rawValue) \(use))"
    case .annotateAssociated(let isRequired, let use, let columns):
      "annotated(with\(isRequired ? "Required" : "Optional"): \(use).select(\(columns.map { "\($0.column).forKey(\($0.name))" }.joined(separator: ", "))))"
    case .aggregate(let aggregate, let name):
      "annotated(with: \(aggregate)\(name.map { ".forKey(\($0))" } ?? ""))"
    case .having(let aggregate): "having(\(aggregate))"
    }
  }
}

extension AssociationUse: CustomStringConvertible {
  package var description: String { "\(name)\(key.map { ".forKey(\($0))" } ?? "")\(chain)" }
}

extension Operand: CustomStringConvertible {
  package var description: String { alias.map { "alias\($0)[\(column)]" } ?? column }
}

extension Condition: CustomStringConvertible {
  package var description: String {
    switch self {
    case .value(let operand, let comparison, let value): "\(operand) \(comparison.rawValue) \(value.literal)"
    case .operands(let left, let comparison, let right): "\(left) \(comparison.rawValue) \(right)"
    case .isNull(let operand, let negated): "\(operand) \(negated ? "!=" : "==") nil"
    case .among(let operand, let values):
      "[\(values.map(\.literal).joined(separator: ", "))].contains(\(operand))"
    case .exists(let number): "alias\(number).exists"
    case .both(let left, let right): "(\(left) && \(right))"
    case .either(let left, let right): "(\(left) || \(right))"
    case .not(let condition): "!(\(condition))"
    }
  }
}

extension Aggregate: CustomStringConvertible {
  package var description: String {
    switch self {
    case .of(let use, let function, let column):
      function == .count || function == .isEmpty ? "\(use).\(function)" : "\(use).\(function)(\(column))"
    case .arithmetic(let left, let operation, let right): "(\(left) \(operation.rawValue) \(right))"
    case .otherwise(let value, let other): "(\(value) ?? \(other))"
    case .absolute(let value): "abs(\(value))"
    case .length(let value): "length(\(value))"
    case .value(let left, let comparison, let value): "(\(left) \(comparison.rawValue) \(value.literal))"
    case .compared(let left, let comparison, let right): "(\(left) \(comparison.rawValue) \(right))"
    case .both(let left, let right): "(\(left) && \(right))"
    case .either(let left, let right): "(\(left) || \(right))"
    case .not(let value): "!(\(value))"
    }
  }
}

extension TypedData {
  /// The statements that insert the rows.
  package var insertions: String {
    sql.split(separator: "\n").filter { $0.hasPrefix("INSERT") }.joined(separator: "\n")
  }
}
