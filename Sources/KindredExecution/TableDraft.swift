import KindredAssociations

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
  /// Of a view.
  var insteadOf: Table.Changes = []
  /// Whether it is a view whose rows may be of several SELECTs.
  var isCompound = false
  /// Of a virtual table.
  var declaration: VirtualTableDeclaration?

  var table: Table {
    Table(
      name: name, kind: kind, columns: columns, primaryKey: primaryKey, uniqueKeys: uniqueKeys,
      indexes: indexes, orderingIndexes: orderingIndexes, foreignKeys: foreignKeys, rowIDName: rowIDName,
      rowIDColumn: rowIDColumn, fullText: fullText, insteadOf: insteadOf,
      isCompound: isCompound)
  }

  /// The column of this name, as the schema spells it.
  func columnName(_ name: String) -> String? {
    columns.first { $0.name.equalsIgnoringCase(name) }?.name
  }

  /// Whether no two records agree in all of these columns.
  func isUnique(_ names: [String]) -> Bool {
    uniqueKeys.contains { key in key.allSatisfy { names.contains(columns[$0].name) } }
  }
}
