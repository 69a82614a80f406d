import KindredSQLSyntax

// The words of SQL for what an expression is made of.

extension Expression.BinaryOperator {
  var sql: SQL {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .is: "IS"
    case .isNot: "IS NOT"
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    case .concatenate: "||"
    }
  }

  var precedence: Precedence {
    switch self {
    case .equal, .notEqual, .is, .isNot: .equality
    case .less, .lessOrEqual, .greater, .greaterOrEqual: .comparison
    case .add, .subtract: .sum
    case .multiply, .divide, .remainder: .product
    case .concatenate: .concatenation
    }
  }

  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .is, .isNot, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .add, .subtract, .multiply, .divide, .remainder, .concatenate: false
    }
  }
}
