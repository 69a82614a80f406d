import KindredModel
import KindredRequests

/// A resource as writes need it: what follows from the model is worked out once for all writes to one version of it.
///
/// An object, so that the steps of a write and its records share it without copying its parts.
final class WrittenResource: Sendable {
  /// The resource in the model.
  let resource: Resource
  let name: String
  let table: Table
  /// What the client may do with the records.
  let permissions: Permissions
  /// The columns that the client may name.
  let columns: [Column]
  /// The columns that content may have, also those that the client may not write, which the access rules refuse.
  let writableColumns: [Column]
  /// The names of the columns of the primary key.
  let keyColumns: [String]
  /// The names of the columns by which a record to be changed is found.
  let locatorColumns: [String]
  /// The names of the columns that locate a record and those of its key, without duplicates.
  let identifyingColumns: [String]
  /// The columns whose values are returned of every record that is written: the identifying ones, and that of its shard.
  let returnedColumns: [String]
  /// The columns of a record's path; empty if it has none that the client may see.
  let addressColumns: [Column]
  /// Their names.
  let addressNames: [String]
  /// The path of the resource, with a slash at its end.
  let pathPrefix: String
  /// Whether a column of the key has no type, so that a number and the text of its digits have the same path.
  let hasUntypedKey: Bool

  init(_ resource: Resource, in model: Model) {
    let table = resource.table
    self.resource = resource
    name = resource.name
    self.table = table
    permissions = resource.permissions
    columns = resource.columns
    writableColumns = model.writableColumns(of: resource)
    keyColumns = table.primaryKey.map { table.columns[$0].name }
    locatorColumns = table.locatorColumns
    identifyingColumns = table.identifyingColumns
    returnedColumns = Self.once(table.identifyingColumns + [table.distribution?.column].compactMap(\.self))
    addressColumns = resource.shownAddressColumns
    addressNames = addressColumns.map(\.name)
    pathPrefix = "/\(URLCoding.encodeSegment(resource.name))/"
    hasUntypedKey = table.primaryKey.contains { table.columns[$0].isUntyped }
  }

  /// Returns names without repetitions, in order.
  static func once(_ names: [String]) -> [String] {
    var once: [String] = []
    for name in names where !once.containsExactly(name) { once.append(name) }
    return once
  }
}
