import KindredModel
import KindredPlanning
import KindredSQLite

extension RequestResolver: ExpressionContext {}

extension SQLExpression {
  /// Creates an expression that depends on the schema.
  init(_ resolve: @escaping @Sendable (RequestResolver) throws -> Expression) {
    self.init(completedBy: { context in try resolve(RequestResolver(context)) })
  }
}

extension RequestResolver {
  /// Returns the resolver that completes an expression.
  ///
  /// - Throws: `DatabaseError` (misuse) if something else does.
  init(_ context: any ExpressionContext) throws {
    guard let resolver = context as? RequestResolver else {
      throw DatabaseError.misuse("an expression that depends on the schema is no part of a request")
    }
    self = resolver
  }
}
