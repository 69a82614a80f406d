import OracleValues
import TypedRequests

#if GRDB_SIDE
  import GRDB
#else
  import Kindred
#endif

typealias Alias = TableAlias<Void>

/// Calls the library's methods that a description contains.
final class Interpreter {
  private var aliases: [Int: Alias] = [:]

  func refined<R: DerivableRequest>(_ request: R, by chain: Chain) throws -> R where R.RowDecoder: Model {
    try chain.calls.reduce(request) { try applied($1, to: $0) }
  }

  private func applied<R: DerivableRequest>(_ call: Call, to request: R) throws -> R
  where R.RowDecoder: Model {
    switch call {
    case .filter(let condition): return request.filter(expression(condition))
    case .order(let terms):
      return request.order(
        terms.map { term -> any SQLOrderingTerm in
          let operand = operand(term.operand)
          return term.isDescending ? operand.desc : operand.asc
        })
    case .reversed: return request.reversed()
    case .select(let columns): return request.select(columns.map { Column($0) })
    case .annotate(let column, let name): return request.annotated(with: Column(column).forKey(name))
    case .distinct: return request.distinct()
    case .greatest(let other, let column):
      return request.select(Column(column), max(Column(other)).forKey("greatest")).group(Column(column))
    case .limit(let limit):
      #if GRDB_SIDE
        throw Unsupported("limits of associations")
      #else
        return request.limit(limit.count, offset: limit.offset)
      #endif
    case .aliased(let number): return request.aliased(alias(number))
    case .join(let joining, let use):
      return try link(use, of: R.RowDecoder.self).joined(to: request, joining, use, self)
    case .annotateAssociated(let isRequired, let use, let columns):
      return try link(use, of: R.RowDecoder.self).annotating(
        request, isRequired: isRequired, use, columns, self)
    case .aggregate(let aggregate, let name):
      let aggregate = try self.aggregate(aggregate, of: R.RowDecoder.self)
      return request.annotated(with: name.map { aggregate.forKey($0) } ?? aggregate)
    case .having(let aggregate):
      return request.having(try self.aggregate(aggregate, of: R.RowDecoder.self))
    }
  }

  private func link<Record: Model>(
    _ use: AssociationUse, of record: Record.Type
  ) throws -> any Link<Record> {
    guard let link = Record.links[use.name] else { throw Unsupported("no association \(use.name)") }
    return link
  }

  // MARK: Expressions

  private func alias(_ number: Int) -> Alias {
    if let alias = aliases[number] { return alias }
    let alias = Alias()
    aliases[number] = alias
    return alias
  }

  private func operand(_ operand: Operand) -> SQLExpression {
    if let number = operand.alias {
      alias(number)[Column(operand.column)]
    } else {
      Column(operand.column).sqlExpression
    }
  }

  private func expression(_ condition: Condition) -> SQLExpression {
    switch condition {
    case .value(let operand, let comparison, let value):
      compared(self.operand(operand), comparison, value.expressible)
    case .operands(let left, let comparison, let right):
      compared(operand(left), comparison, operand(right))
    case .isNull(let operand, let negated):
      negated ? self.operand(operand) != nil : self.operand(operand) == nil
    case .among(let operand, let values): values.map(\.expressible).contains(self.operand(operand))
    case .exists(let number): alias(number).exists
    case .both(let left, let right): expression(left) && expression(right)
    case .either(let left, let right): expression(left) || expression(right)
    case .not(let condition): !expression(condition)
    }
  }

  private func compared(
    _ left: SQLExpression, _ comparison: Comparison, _ right: some SQLExpressible
  ) -> SQLExpression {
    switch comparison {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  // MARK: Aggregates

  private func aggregate<Record: Model>(
    _ aggregate: TypedRequests.Aggregate, of record: Record.Type
  ) throws -> AssociationAggregate<Record> {
    func one(_ aggregate: TypedRequests.Aggregate) throws -> AssociationAggregate<Record> {
      try self.aggregate(aggregate, of: record)
    }
    switch aggregate {
    case .of(let use, let function, let column):
      return try link(use, of: record).aggregate(function, of: column, use, self)
    case .arithmetic(let left, .add, let right): return try one(left) + one(right)
    case .arithmetic(let left, .subtract, let right): return try one(left) - one(right)
    case .arithmetic(let left, .multiply, let right): return try one(left) * one(right)
    case .otherwise(let value, let other): return try one(value) ?? other
    case .absolute(let value): return abs(try one(value))
    case .length(let value): return length(try one(value))
    case .value(let left, let comparison, let value):
      return compared(try one(left), comparison, value.expressible)
    case .compared(let left, let comparison, let right):
      return compared(try one(left), comparison, try one(right))
    case .both(let left, let right): return try one(left) && one(right)
    case .either(let left, let right): return try one(left) || one(right)
    case .not(let value): return !(try one(value))
    }
  }

  private func compared<Record>(
    _ left: AssociationAggregate<Record>, _ comparison: Comparison, _ right: DatabaseValue
  ) -> AssociationAggregate<Record> {
    switch comparison {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  private func compared<Record>(
    _ left: AssociationAggregate<Record>, _ comparison: Comparison, _ right: AssociationAggregate<Record>
  ) -> AssociationAggregate<Record> {
    switch comparison {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}
