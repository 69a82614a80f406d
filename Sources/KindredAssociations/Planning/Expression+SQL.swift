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

extension Expression.Collation {
  var sql: SQL {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    }
  }
}

extension Expression.CastType {
  var sql: SQL {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .numeric: "NUMERIC"
    }
  }
}
