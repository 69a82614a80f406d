import KindredAssociations
import KindredSQLite
import OrderedCollections

/// The columns by which the records of one table refer to those of another, where the schema does not say it, or
/// says more than one.
///
///     static let author = belongsTo(Person.self, using: ForeignKey(["authorId"]))
///
/// It is always told from the table that has the columns: the associations of both sides use the same value.
public struct ForeignKey: Hashable, Sendable {
  /// The columns that refer.
  let originColumns: [String]
  /// The columns that are referred to; the primary key where nil.
  let destinationColumns: [String]?

  /// The columns that refer, and those that they refer to: the primary key, unless told.
  public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
  }

  /// The columns that refer, and those that they refer to: the primary key, unless told.
  public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil) {
    self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
  }

  /// What a single column is called without `Id` or `_id`: `author` of `authorId`.
  var stem: String? {
    guard originColumns.count == 1, let column = originColumns.first else { return nil }
    for ending in ["Id", "ID", "_id"] where column.hasSuffix(ending) && column.count > ending.count {
      let stem = column.dropLast(ending.count)
      // `userUUID` ends with another word.
      if ending == "ID", stem.last?.isUppercase == true { continue }
      return String(stem)
    }
    return nil
  }
}

extension Table {
  /// The columns by which the records of this table refer to those of another.
  ///
  /// - Throws: `AssociationError` where the schema does not say which, or not once.
  func reference(
    to destination: Table, using key: ForeignKey?
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
    // The rowid of a table that declares no primary key is not referred to.
    let primaryKey =
      destination.declaredColumns.count == destination.columns.count
      ? destination.primaryKey.map { destination.columns[$0].name } : []
    guard primaryKey.count == key.originColumns.count else { throw missing }
    return (key.originColumns, primaryKey)
  }
}
