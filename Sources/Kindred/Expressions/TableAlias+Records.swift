extension TableAlias where RowDecoder: TableRecord {
  /// The column of the record.
  public subscript<Value: SQLSpecificExpressible>(
    dynamicMember column: KeyPath<RowDecoder.DatabaseComponents, Value>
  ) -> SQLExpression { self[RowDecoder.databaseComponents[keyPath: column]] }
}
