import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Puts marks into the places of the values that are no part of a request's shape, in the order in which
/// ``RequestShape`` finds them.
struct ValueMarks {
  private var number = 0

  /// Whether no mark has been put.
  var isEmpty: Bool { number == 0 }

  /// Returns a request with marks in place of its values.
  mutating func marked(_ blueprint: RequestBlueprint) -> RequestBlueprint {
    var blueprint = blueprint
    let selection = blueprint.selection ?? blueprint.defaultSelection
    blueprint.selection = selection.map { marked($0) }
    blueprint.annotations = blueprint.annotations.map { marked($0) }
    blueprint.filters = blueprint.filters.map { marked($0) }
    blueprint.group = blueprint.group.map { marked($0) }
    blueprint.havings = blueprint.havings.map { marked($0) }
    blueprint.ordering.terms = blueprint.ordering.terms.map { term in
      SQLOrdering(expression: marked(term.expression), isDescending: term.isDescending, nulls: term.nulls)
    }
    for child in blueprint.children.indices {
      for link in blueprint.children[child].path.links.indices {
        let inner = blueprint.children[child].path.links[link].blueprint
        blueprint.children[child].path.links[link].blueprint = marked(inner)
      }
    }
    return blueprint
  }

  private mutating func marked(_ selection: SQLSelection) -> SQLSelection {
    guard case .expression(let expression, let name) = selection.item else { return selection }
    return SQLSelection(.expression(marked(expression), name: name))
  }

  private mutating func marked(_ expression: SQLExpression) -> SQLExpression {
    switch expression.form {
    case .known(let known): SQLExpression(marked(known, hasValues: false).kind)
    case .joined(let joining, let operands): SQLExpression(operands.map { marked($0) }, joinedBy: joining)
    case .deferred: expression
    }
  }

  private mutating func marked(_ expression: Expression, hasValues: Bool) -> Expression {
    var expression = expression
    switch expression.kind {
    case .value(let value) where hasValues && value != .null:
      expression.kind = .value(PlannedShape.mark(number, in: value))
      number += 1
    case .binary(let op, let left, let right):
      let (left, right) = (
        marked(left, hasValues: op.isComparison), marked(right, hasValues: op.isComparison)
      )
      expression.kind = .binary(op, left, right)
    case .in(let value, let list, let negated):
      let value = marked(value, hasValues: true)
      expression.kind = .in(value, list.map { marked($0, hasValues: true) }, negated: negated)
    case .between(let value, let low, let high, let negated):
      let parts = [value, low, high].map { marked($0, hasValues: true) }
      expression.kind = .between(parts[0], parts[1], parts[2], negated: negated)
    case .isNull(let value, let negated):
      expression.kind = .isNull(marked(value, hasValues: false), negated: negated)
    case .all(let parts): expression.kind = .all(parts.map { marked($0, hasValues: false) })
    case .any(let parts): expression.kind = .any(parts.map { marked($0, hasValues: false) })
    case .unary(let op, let operand): expression.kind = .unary(op, marked(operand, hasValues: false))
    case .match(let op, let value, let pattern, let escape, let negated):
      let parts = ([value, pattern] + (escape.map { [$0] } ?? [])).map { marked($0, hasValues: false) }
      expression.kind = .match(
        op, parts[0], parts[1], escape: parts.count > 2 ? parts[2] : nil, negated: negated)
    case .function(let name, let arguments, let isDistinct):
      expression.kind = .function(
        name: name, arguments: arguments.map { marked($0, hasValues: false) }, isDistinct: isDistinct)
    case .collate(let value, let collation):
      expression.kind = .collate(marked(value, hasValues: false), collation)
    case .cast(let value, let type): expression.kind = .cast(marked(value, hasValues: false), type)
    case .program(.raw(let parts)):
      expression.kind = .program(
        .raw(
          parts.map { part in
            switch part {
            case .text: part
            case .expression(let inner): .expression(marked(inner, hasValues: false))
            }
          }))
    case .value, .null, .boolean, .literal, .path, .cases, .program: break
    }
    return expression
  }
}
