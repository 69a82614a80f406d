import KindredModel
import KindredPlanning
import KindredSQLite
import OrderedCollections

/// The columns by which the records of one table refer to those of another, for schemas that declare no foreign key
/// between the two tables, or several.
///
///     static let author = belongsTo(Person.self, using: ForeignKey(["authorId"]))
///
/// It is always given from the side of the table that has the columns, so the associations of both sides can share
/// one value.
public struct ForeignKey: Hashable, Sendable {
  /// The referring columns.
  let originColumns: [String]
  /// The columns that are referred to; nil for the primary key.
  let destinationColumns: [String]?

  /// Creates a foreign key from its columns to those of the other table, by default its primary key.
  public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
  }

  /// Creates a foreign key from its columns to those of the other table, by default its primary key.
  public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil) {
    self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
  }

  /// The name of a single column without its `Id` or `_id` suffix: `author` for `authorId`.
  var stem: String? {
    guard originColumns.count == 1, let column = originColumns.first else { return nil }
    for ending in ["Id", "ID", "_id"] where column.hasSuffix(ending) && column.count > ending.count {
      let stem = column.dropLast(ending.count)
      // The last word of `userUUID` is not `ID`.
      if ending == "ID", stem.last?.isUppercase == true { continue }
      return String(stem)
    }
    return nil
  }
}

extension TableSchema {
  /// Returns the columns by which records of this table refer to those of `destination`.
  ///
  /// - Throws: `AssociationError` if the schema has no such foreign key, or several.
  func reference(
    to destination: TableSchema, using key: ForeignKey?
  ) throws -> (origin: [String], destination: [String]) {
    let foreignKeys = foreignKeys.filter { $0.destination.equalsIgnoringCase(destination.name) }
    let missing = AssociationError.missingForeignKey(origin: name, destination: destination.name)
    guard let key else {
      // A foreign key that is declared twice counts once.
      let distinct = Set(foreignKeys)
      guard let only = distinct.first else { throw missing }
      guard distinct.count == 1 else {
        throw AssociationError.ambiguousForeignKey(origin: name, destination: destination.name)
      }
      return (only.columns, only.destinationColumns)
    }
    if let columns = key.destinationColumns {
      guard columns.count == key.originColumns.count else { throw missing }
      return (key.originColumns, columns)
    }
    let names = key.originColumns.map(\.foldingASCIICase)
    if let declared = foreignKeys.first(where: { $0.columns.map(\.foldingASCIICase) == names }) {
      return (declared.columns, declared.destinationColumns)
    }
    // Foreign keys can't refer to the rowid of a table that declares no primary key.
    let primaryKey =
      destination.declaredColumns.count == destination.columns.count
      ? destination.primaryKey.map { destination.columns[$0].name } : []
    guard primaryKey.count == key.originColumns.count else { throw missing }
    return (key.originColumns, primaryKey)
  }
}
