import KindredAssociations
import KindredSQLSyntax

/// What can stand in an expression: columns, expressions, values.
public protocol SQLExpressible {
  /// The expression.
  var sqlExpression: SQLExpression { get }
}

/// What can be selected: columns, expressions, `AllColumns()`.
public protocol SQLSelectable: Sendable {
  /// What it selects.
  var sqlSelection: SQLSelection { get }
}

/// What can be a term of an order: columns, expressions, and those with `desc`.
public protocol SQLOrderingTerm: Sendable {
  /// The term.
  var sqlOrdering: SQLOrdering { get }
}

/// Columns and expressions: what operators apply to, unlike to values that are none of the database's yet.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// The expression, under its default name.
  public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression, name: nil)) }

  /// The expression, in ascending order.
  public var sqlOrdering: SQLOrdering { SQLOrdering(expression: sqlExpression) }

  /// In ascending order.
  public var asc: SQLOrdering { sqlOrdering }

  /// In descending order.
  public var desc: SQLOrdering { sqlOrdering.reversed() }

  /// In ascending order, NULLs last.
  public var ascNullsLast: SQLOrdering { SQLOrdering(expression: sqlExpression, nulls: .last) }

  /// In descending order, NULLs first.
  public var descNullsFirst: SQLOrdering {
    SQLOrdering(expression: sqlExpression, isDescending: true, nulls: .first)
  }

  /// The expression under another name, by which records find it.
  public func forKey(_ key: String) -> SQLSelection {
    SQLSelection(.expression(sqlExpression, name: key))
  }

  /// The expression under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}

/// An expression of SQL, to be made when its request runs: then the schema is known.
public struct SQLExpression: SQLSpecificExpressible {
  /// How the expression is found.
  enum Form: Sendable {
    case known(Expression)
    /// Depends on the schema, such as a primary key does.
    case deferred(@Sendable (RequestResolver) throws -> Expression)
    /// All of these, or any of them.
    case joined(AssociativeBinaryOperator, [SQLExpression])
  }

  let form: Form
  /// How deep it is nested.
  private var height = 1

  /// How deep expressions may be nested: they are planned, and released, by recursion.
  private static let maximumHeight = 128

  /// An expression of the engine.
  init(_ kind: Expression.Kind) {
    form = .known(Expression(kind, at: Origin()))
  }

  /// An expression that depends on the schema.
  init(_ resolve: @escaping @Sendable (RequestResolver) throws -> Expression) {
    form = .deferred(resolve)
  }

  /// Operands of one operator, however many: where one is an expression of the same operator, its operands.
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
    SQLExpression { _ in
      throw DatabaseError.misuse(
        "an expression is nested deeper than \(maximumHeight) levels: join conditions by joined(operator:)")
    }
  }

  /// An expression made of others.
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
      self.init { resolver in
        Expression(combine(try operands.map(resolver.expression)), at: Origin())
      }
    }
  }

  /// The expression itself.
  public var sqlExpression: SQLExpression { self }

  /// Whether it is the value NULL.
  var isNull: Bool {
    if case .known(let expression) = form, case .value(.null) = expression.kind { true } else { false }
  }

  /// What it is to the engine, if that does not depend on a schema.
  var withoutSchema: Expression? {
    switch form {
    case .known(let expression): return expression
    case .deferred: return nil
    case .joined(let joining, let operands):
      let known = operands.compactMap(\.withoutSchema)
      guard known.count == operands.count else { return nil }
      return Expression(joining == .and ? .all(known) : .any(known), at: Origin())
    }
  }

  /// The column that it is, if it is one.
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
  /// SQL of the program around expressions.
  static func raw(_ parts: [RawPart]) -> SQLExpression {
    let operands = parts.compactMap { part in
      if case .expression(let operand) = part { operand } else { nil }
    }
    return SQLExpression(operands) { operands in
      var operands = operands.makeIterator()
      return .program(
        .raw(
          parts.compactMap { part in
            switch part {
            case .text(let text): .text(text)
            case .expression: operands.next().map { .expression($0) }
            }
          }))
    }
  }

  /// A piece of SQL.
  enum RawPart: Sendable {
    case text(String)
    case expression(SQLExpression)
  }

  /// A call of a function.
  static func call(_ function: String, _ arguments: [SQLExpression]) -> SQLExpression {
    var parts: [RawPart] = [.text("\(function)(")]
    for (index, argument) in arguments.enumerated() {
      if index > 0 { parts.append(.text(", ")) }
      parts.append(.expression(argument))
    }
    return raw(parts + [.text(")")])
  }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The expression, or NULL.
  public var sqlExpression: SQLExpression { self?.sqlExpression ?? SQLExpression(.value(.null)) }
}

extension DatabaseValueConvertible {
  /// The value, to be bound.
  public var sqlExpression: SQLExpression { SQLExpression(.value(databaseValue.storage)) }
}
