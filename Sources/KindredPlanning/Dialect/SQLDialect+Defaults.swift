import KindredSQLSyntax

/// What a dialect needn't write.
extension SQLDialect {
  package func null(of type: ValueType?) -> SQL { "NULL" }
}
