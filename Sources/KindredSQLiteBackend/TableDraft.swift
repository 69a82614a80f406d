import KindredModel

/// A table while it is being read.
struct TableDraft {
  let name: String
  let kind: Table.Kind
  var columns: [Column] = []
  var primaryKey: [Int] = []
  var uniqueKeys: [[Int]] = []
  var indexes: [Index] = []
  var orderingIndexes: [OrderingIndex] = []
  var foreignKeys: [ForeignKey] = []
  var rowIDName: String?
  var rowIDColumn: String?
  var fullText: FullText?
  /// The changes that a view's triggers implement.
  var insteadOf: Table.Changes = []
  /// Whether it is a view that may consist of several SELECTs.
  var isCompound = false
  var readsClock = false
  /// Whether its rows depend on the database alone.
  var isTimeless = true
  /// Whether a constraint may have `ON CONFLICT REPLACE`.
  var replacesOnConflict = false
  /// The declaration of a virtual table.
  var declaration: VirtualTableDeclaration?

  var table: Table {
    var table = Table(
      name: name, kind: kind, columns: columns, primaryKey: primaryKey, uniqueKeys: uniqueKeys,
      indexes: indexes, orderingIndexes: orderingIndexes, foreignKeys: foreignKeys, rowIDName: rowIDName,
      rowIDColumn: rowIDColumn, fullText: fullText, insteadOf: insteadOf,
      isCompound: isCompound, readsClock: readsClock)
    table.isTimeless = isTimeless
    table.replacesOnConflict = replacesOnConflict
    return table
  }

  /// Returns the name of a column as the schema spells it.
  func columnName(_ name: String) -> String? {
    columns.first { $0.name.equalsIgnoringCase(name) }?.name
  }
}
