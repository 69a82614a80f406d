import KindredModel
import KindredBackend
import KindredOutput
import KindredRequests

extension RecordWriter {
  /// Checks that a record can be found in the association that it was written to, which may have a condition.
  ///
  /// - Parameters:
  ///   - origin: The path of the record that has the association.
  ///   - literals: The literals of the path.
  func check(
    _ record: StoredRecord, of resource: WrittenResource, isIn association: Association,
    of origin: RequestPath,
    _ literals: Literals, at pointer: JSONPointer
  ) throws {
    var literals = literals
    var path = origin
    path.segments.append(.association(association))
    if association.cardinality == .toMany {
      path.segments.append(record.segment(in: resource.table, &literals))
    }
    let lookup = try version.lookups.lookup(path, columns: resource.locatorColumns)
    do {
      _ = try transaction.record(
        lookup, Parameters(literals: literals.values, claims: principal.claims))
    } catch let error as RequestError where error.code == .notFound {
      throw Problem.refusedValue(
        "the record doesn't satisfy the condition of `\(association.key)`", at: pointer)
    }
  }
}

extension Model {
  /// Returns the collations of columns of a table, by which those that refer to them match
  /// (<https://www.sqlite.org/foreignkeys.html#fk_basics>).
  func collations(of columns: [String], in table: String) -> [String] {
    columns.map { tables[table]?.column(named: $0)?.collation ?? "BINARY" }
  }
}
