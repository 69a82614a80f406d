import KindredAssociations
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import OrderedCollections

/// The rules of access that a write is under: which records a principal may add, change and delete, and which columns
/// of them.
///
/// Each change is tested in its transaction: before it, while the record is as it was, and after it. A rule that doesn't
/// hold takes all of the request back.
struct WriteRules {
  let version: ModelVersion
  let principal: Principal
  let transaction: any WriteTransaction

  private var model: Model { version.model }

  /// The resource that the records of a table are written as.
  func resource(of table: Table) -> Resource { model.resource(of: table) }

  // MARK: Changes

  /// - Throws: `RequestError` (`forbidden`) where the principal adds no records, or not with these columns.
  func willInsert(_ columns: [String], into resource: Resource) throws {
    guard let permissions = resource.permissions else { return }
    try check(columns, by: permissions.create, of: resource)
  }

  /// Tests a record that was added.
  ///
  /// - Parameter columns: those that the client wrote.
  func didInsert(
    _ record: StoredRecord, _ columns: [String], into resource: Resource, at pointer: JSONPointer
  ) throws {
    guard let permissions = resource.permissions else { return }
    try check(record, by: permissions.create, .create, of: resource)
    try checkReferences(of: record, by: columns, of: resource, at: pointer)
  }

  /// Tests a record that is about to be changed.
  func willUpdate(_ record: StoredRecord, _ columns: [String], of resource: Resource) throws {
    guard let permissions = resource.permissions else { return }
    try check(columns, by: permissions.update, of: resource)
    try check(record, by: permissions.update, .update, of: resource)
  }

  /// Tests a record that was changed.
  ///
  /// - Parameter columns: those that the client wrote.
  func didUpdate(
    _ record: StoredRecord, _ columns: [String], of resource: Resource, at pointer: JSONPointer
  ) throws {
    guard let permissions = resource.permissions else { return }
    try check(record, by: permissions.update, .update, of: resource)
    try checkReferences(of: record, by: columns, of: resource, at: pointer)
  }

  /// Tests a record that is about to be deleted.
  func willDelete(_ record: StoredRecord, of resource: Resource) throws {
    guard let permissions = resource.permissions else { return }
    try check([], by: permissions.delete, of: resource)
    try check(record, by: permissions.delete, .delete, of: resource)
  }

  /// Whether a record, found by these columns, is in sight; also where none is there that a rule could hide.
  func isInSight(_ resource: Resource, by columns: [String], _ values: [SQLValue]) throws -> Bool {
    guard let permissions = resource.permissions, permissions.rowRule != nil else { return true }
    guard let entry = permissions.read else { return false }
    return try holds(entry.rows, .read, of: resource, by: columns, values)
  }

  /// The columns of a record that PUT sets to their defaults where the content leaves them out.
  func resettable(_ columns: [Column], of resource: Resource) -> [Column] {
    guard let fields = resource.permissions?.update?.fields else { return columns }
    return columns.filter { fields.contains($0.name) }
  }

  // MARK: Tests

  private func check(_ columns: [String], by entry: AccessEntry?, of resource: Resource) throws {
    guard let entry else { throw RequestError.forbidden(resource.name) }
    guard let fields = entry.fields, let column = columns.first(where: { !fields.contains($0) }) else {
      return
    }
    throw RequestError.forbidden("\(resource.name).\(column)")
  }

  private func check(
    _ record: StoredRecord, by entry: AccessEntry?, _ verb: ResourceAccess.Verb, of resource: Resource
  ) throws {
    guard let rule = entry?.rows else { return }
    let columns = resource.table.locatorColumns
    guard !columns.isEmpty, try holds(rule, verb, of: resource, by: columns, record.values(of: columns))
    else {
      throw RequestError.forbidden(resource.name)
    }
  }

  /// What a client refers to must be in sight: else a foreign key would tell what is there.
  private func checkReferences(
    of record: StoredRecord, by columns: [String], of resource: Resource, at pointer: JSONPointer
  ) throws {
    for key in resource.table.foreignKeys where !Set(columns).isDisjoint(with: key.columns) {
      guard let table = model.tables[key.destination] else { continue }
      let destination = model.resource(of: table)
      guard destination.permissions?.rowRule != nil else { continue }
      let locators = resource.table.locatorColumns
      let values = try transaction.rows(
        of: version.changes.statement(.selection(of: key.columns, by: locators), of: resource.table),
        Parameters(literals: record.values(of: locators)))
      guard let values = values.first, !values.contains(.null) else { continue }
      guard try isInSight(destination, by: key.destinationColumns, values) else {
        throw Problem.danglingReference(key.columns, at: pointer)
      }
    }
  }

  private func holds(
    _ rule: Expression?, _ verb: ResourceAccess.Verb, of resource: Resource, by columns: [String],
    _ values: [SQLValue]
  ) throws -> Bool {
    let lookup = try version.ruleTests.lookup(rule, for: verb, of: resource, by: columns)
    do {
      _ = try transaction.record(lookup, Parameters(literals: values, claims: principal.claims))
      return true
    } catch let error as RequestError where error.code == .notFound {
      return false
    }
  }
}
