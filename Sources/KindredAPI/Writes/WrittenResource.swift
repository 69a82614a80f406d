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
  /// The columns that content may have, including columns that the client may not write, which the access rules refuse.
  let writableColumns: [Column]
  /// The names of the columns of the primary key.
  let keyColumns: [String]
  /// The names of the columns by which a record to be changed is found.
  let locatorColumns: [String]
  /// The names of the columns that locate a record and those of its key, without duplicates.
  let identifyingColumns: [String]
  /// The columns whose values are returned of every record that is written: the identifying ones, and that of its shard;
  /// of a table whose records nothing finds again, all.
  let returnedColumns: [String]
  /// The columns of a record's path; empty if it has none that the client may see.
  let addressColumns: [Column]
  /// Their names.
  let addressNames: [String]
  /// The foreign keys to records of which the client may not read all.
  let testedReferences: [TestedReference]
  /// The path of the resource, with a slash at its end.
  let pathPrefix: String
  /// The columns that the server sets in new records.
  let presetColumns: [String]
  /// The columns to which a change can't give another value than the server does.
  let lockedColumns: [String]
  /// Whether a column of the key has no type, so that a number and the text of its digits have the same path.
  let hasUntypedKey: Bool

  /// The columns whose values read a record back for the answer: the columns that find it, else all.
  var answerColumns: [String] { isLocated ? locatorColumns : returnedColumns }
  /// Whether a record that has been written can be found again.
  var isLocated: Bool { !locatorColumns.isEmpty }

  /// - Parameter key: The columns of a unique key by which records are found where the table has nothing else.
  init(_ resource: Resource, in model: Model, foundBy key: [String] = []) {
    let table = resource.table
    self.resource = resource
    name = resource.name
    self.table = table
    permissions = resource.permissions
    presetColumns = resource.permissions.presetColumns
    lockedColumns = resource.permissions.columnsLockedInChanges
    columns = resource.columns
    writableColumns = model.writableColumns(of: resource)
    keyColumns = table.primaryKey.map { table.columns[$0].name }
    let isLocated = !table.locatorColumns.isEmpty
    locatorColumns = isLocated ? table.locatorColumns : key
    identifyingColumns = isLocated ? table.identifyingColumns : key
    returnedColumns =
      isLocated
      ? Self.once(table.identifyingColumns + [table.distribution?.column].compactMap(\.self))
      : table.columns.map(\.name)
    addressColumns = resource.shownAddressColumns
    addressNames = addressColumns.map(\.name)
    testedReferences = model.isRestricted ? TestedReference.all(of: table, in: model) : []
    pathPrefix = "/\(URLCoding.encodeSegment(resource.name))/"
    hasUntypedKey = table.primaryKey.contains { table.columns[$0].isUntyped }
  }

  /// Returns the resource whose records are found by the columns of a unique key, if nothing else finds them.
  func found(by key: [String], in model: Model) -> WrittenResource {
    isLocated ? self : WrittenResource(resource, in: model, foundBy: key)
  }

  /// Checks that a new record needs no default that calls a function which this server lacks.
  ///
  /// - Parameter columns: The columns that have values.
  /// - Throws: `Problem` (422).
  func checkDefaults(besides columns: [String], at pointer: JSONPointer) throws {
    for column in table.columns {
      guard let function = column.missingDefault, !columns.containsExactly(column.name) else { continue }
      throw Problem.refusedValue(
        "`\(column.name)` needs a value: its default calls the function `\(function)`, which this server doesn't have",
        at: pointer + column.name)
    }
  }

  /// Returns the columns of the tested foreign keys that have any of some columns.
  func columnsOfReferences(in columns: NameSet) -> [String] {
    testedReferences.map(\.columns).filter { !columns.isDisjoint(with: $0) }.flatMap(\.self)
  }

  /// Returns names without repetitions, in order.
  static func once(_ names: [String]) -> [String] {
    var once: [String] = []
    for name in names where !once.containsExactly(name) { once.append(name) }
    return once
  }
}

/// A foreign key to records of which a client may not read all, so that what refers to one is tested.
struct TestedReference: Sendable {
  let columns: [String]
  /// The table with the columns referred to; nil if no record can be told to be in sight, as where it isn't served.
  let destination: (table: Table, columns: [String])?
  /// Whether the database checks it only when a transaction is committed.
  var isDeferred = false

  fileprivate static func all(of table: Table, in model: Model) -> [TestedReference] {
    func isTested(_ key: ForeignKey) -> Bool {
      model.tables[key.destination].map { !model.rowRules(of: model.resource(of: $0)).isEmpty } ?? false
    }
    return table.unservedReferences.map { TestedReference(columns: $0, destination: nil) }
      + table.foreignKeys.filter(isTested).compactMap { key in
        model.tables[key.destination].map {
          TestedReference(
            columns: key.columns, destination: ($0, key.destinationColumns), isDeferred: key.isDeferred)
        }
      }
      // Several records together are what such a key refers to, so none of them tells whether the others may be read.
      + (table.temporalForeignKeys + table.partlyShownForeignKeys).filter(isTested)
      .map { TestedReference(columns: $0.columns, destination: nil) }
  }
}
