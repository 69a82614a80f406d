import KindredModel
import KindredSQLSyntax

/// A type whose values can be part of an expression: columns, expressions, Swift values.
public protocol SQLExpressible {
  /// The value as an expression.
  var sqlExpression: SQLExpression { get }
}

/// A type whose values can be selected: columns, expressions, `AllColumns()`.
public protocol SQLSelectable: Sendable {
  /// The columns that the value selects.
  var sqlSelection: SQLSelection { get }
}

/// A type whose values can be terms of an order: columns, expressions, and those with `asc` or `desc`.
public protocol SQLOrderingTerm: Sendable {
  /// The value as a term of an order.
  var sqlOrdering: SQLOrdering { get }
}

/// The operands of SQL operators: columns and expressions.
///
/// Plain Swift values don't conform; they are bound as parameters.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// The expression, under its default name.
  public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression, name: nil)) }

  /// The expression, in ascending order.
  public var sqlOrdering: SQLOrdering { SQLOrdering(expression: sqlExpression) }

  /// The expression as a term in ascending order.
  public var asc: SQLOrdering { sqlOrdering }

  /// The expression as a term in descending order.
  public var desc: SQLOrdering { sqlOrdering.reversed() }

  /// The expression as a term in ascending order, with NULLs last.
  public var ascNullsLast: SQLOrdering { SQLOrdering(expression: sqlExpression, nulls: .last) }

  /// The expression as a term in descending order, with NULLs first.
  public var descNullsFirst: SQLOrdering {
    SQLOrdering(expression: sqlExpression, isDescending: true, nulls: .first)
  }

  /// Returns the expression under another name, by which records decode it.
  public func forKey(_ key: String) -> SQLSelection {
    SQLSelection(.expression(sqlExpression, name: key))
  }

  /// Returns the expression under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}

/// What completes expressions when their request runs and the schema is known.
protocol ExpressionContext {
  /// Returns the engine's expression.
  func expression(_ expression: SQLExpression) throws -> Expression
}

/// An SQL expression, which is completed when its request runs and the schema is known.
public struct SQLExpression: SQLSpecificExpressible {
  /// The information about the expression that is known before its request runs.
  enum Form: Sendable {
    case known(Expression)
    /// The expression depends on the schema, for example on a primary key.
    case deferred(@Sendable (any ExpressionContext) throws -> Expression)
    /// The conjunction or disjunction of any number of expressions.
    case joined(AssociativeBinaryOperator, [SQLExpression])
  }

  let form: Form
  /// The depth of nesting.
  private var height = 1

  /// The maximum depth of nesting, which bounds the recursion that plans and deallocates expressions.
  private static let maximumHeight = 128

  /// Creates an expression from the engine's.
  init(_ kind: Expression.Kind) {
    form = .known(Expression(kind, at: Origin()))
  }

  /// Creates an expression that is completed when its request runs.
  init(completedBy complete: @escaping @Sendable (any ExpressionContext) throws -> Expression) {
    form = .deferred(complete)
  }

  /// Creates an expression of any number of operands.
  ///
  /// Operands that are joined by the same operator are flattened.
  init(_ operands: [SQLExpression], joinedBy joining: AssociativeBinaryOperator) {
    var flat: [SQLExpression] = []
    for operand in operands {
      if case .joined(joining, let inner) = operand.form { flat += inner } else { flat.append(operand) }
    }
    let height = 1 + (flat.map(\.height).max() ?? 0)
    guard height <= Self.maximumHeight else {
      self = .tooDeep
      return
    }
    form = .joined(joining, flat)
    self.height = height
  }

  private static var tooDeep: SQLExpression {
    SQLExpression(completedBy: { _ in
      throw DatabaseError.misuse(
        "an expression is nested deeper than \(maximumHeight) levels; combine conditions with joined(operator:)"
      )
    })
  }

  /// Creates an expression that combines others.
  init(_ operands: [SQLExpression], _ combine: @escaping @Sendable ([Expression]) -> Expression.Kind) {
    let height = 1 + (operands.map(\.height).max() ?? 0)
    guard height <= Self.maximumHeight else {
      self = .tooDeep
      return
    }
    defer { self.height = height }
    let known = operands.compactMap { operand in
      if case .known(let expression) = operand.form { expression } else { nil }
    }
    if known.count == operands.count {
      self.init(combine(known))
    } else {
      self.init(completedBy: { context in
        Expression(combine(try operands.map(context.expression)), at: Origin())
      })
    }
  }

  /// The expression itself.
  public var sqlExpression: SQLExpression { self }

  /// Whether the expression is the literal NULL.
  var isNull: Bool {
    if case .known(let expression) = form, case .value(.null) = expression.kind { true } else { false }
  }

  /// The engine's expression; nil if it depends on the schema.
  var withoutSchema: Expression? {
    switch form {
    case .known(let expression): return expression
    case .deferred: return nil
    case .joined(let joining, let operands):
      let known = operands.compactMap(\.withoutSchema)
      guard known.count == operands.count else { return nil }
      return Expression(joining.conjunction(known), at: Origin())
    }
  }

  /// The name of the column if the expression is one.
  var columnName: String? {
    guard case .known(let expression) = form else { return nil }
    switch expression.kind {
    case .program(.column(let name)): return name
    case .program(.of(_, let column)): return SQLExpression(column.kind).columnName
    default: return nil
    }
  }
}

extension SQLExpression {
  /// Returns an expression made of SQL text and other expressions.
  static func raw(_ parts: [RawPart]) -> SQLExpression {
    SQLExpression(parts.compactMap(\.operand)) { operands in
      var operands = operands.makeIterator()
      return .program(
        .raw(
          parts.compactMap { part in
            switch part {
            case .text(let text): .text(text)
            case .expression, .selection: operands.next().map { .expression($0) }
            }
          }))
    }
  }

  /// A part of an SQL expression.
  enum RawPart: Sendable {
    case text(String)
    case expression(SQLExpression)
    /// Columns that only the schema knows, of the record of the request, or of a table under an alias.
    case selection(SQLSelection, of: (table: String, alias: String)?)

    /// The part as an expression; nil for text.
    var operand: SQLExpression? {
      switch self {
      case .text: nil
      case .expression(let expression): expression
      case .selection(let selection, let table):
        SQLExpression { resolver in
          let columns = try resolver.columns(selection, of: table).map(\.expression)
          guard !columns.isEmpty else {
            throw DatabaseError.misuse("a selection of columns that are unknown outside of a request")
          }
          let parts = columns.map { column -> [Expression.RawPart] in
            if case .program(.raw(let parts)) = column.kind { parts } else { [.expression(column)] }
          }
          return Expression(.program(.raw(Array(parts.joined(separator: [.text(", ")])))), at: Origin())
        }
      }
    }
  }
}

extension [SQLExpression.RawPart] {
  /// Returns expressions with a text between them.
  static func list(_ expressions: [SQLExpression], separator: String = ", ") -> Self {
    expressions.enumerated().flatMap { index, expression -> Self in
      (index > 0 ? [.text(separator)] : []) + [.expression(expression)]
    }
  }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The expression, or NULL.
  public var sqlExpression: SQLExpression { self?.sqlExpression ?? SQLExpression(.value(.null)) }
}

extension DatabaseValueConvertible {
  /// The value as a bound parameter.
  ///
  /// The request throws if the value can't be stored.
  public var sqlExpression: SQLExpression {
    let value = databaseValue
    guard let failure = value.failure else { return SQLExpression(.value(value.sqlValue)) }
    return SQLExpression(completedBy: { _ in throw failure.error })
  }
}
