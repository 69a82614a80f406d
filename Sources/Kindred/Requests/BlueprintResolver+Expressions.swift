import KindredModel
import KindredSQLite

extension BlueprintResolver: ExpressionContext {}

extension SQLExpression {
  /// Creates an expression that depends on the schema.
  init(_ resolve: @escaping @Sendable (BlueprintResolver) throws -> Expression) {
    self.init(completedBy: { context in try resolve(BlueprintResolver(context)) })
  }
}

extension BlueprintResolver {
  /// Returns the resolver that completes an expression.
  ///
  /// - Throws: `DatabaseError` (misuse) if something else does.
  init(_ context: any ExpressionContext) throws {
    guard let resolver = context as? BlueprintResolver else {
      throw DatabaseError.misuse("an expression that depends on the schema is no part of a request")
    }
    self = resolver
  }
}
