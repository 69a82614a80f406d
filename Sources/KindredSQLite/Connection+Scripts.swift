extension Connection {
  /// Prepares the statements of a text one after the other, each when the one before has been dealt with.
  ///
  /// - Throws: What `body` throws, or `DatabaseError` where a statement is erroneous: those before it have
  ///   been given to `body` then.
  public func forEachStatement(in sql: String, _ body: (Statement) throws -> Void) throws {
    var script = Script(sql)
    while let statement = try script.next(on: self) { try body(statement) }
  }
}
