import KindredModel

/// A table while it is being read.
@dynamicMemberLookup
struct TableDraft {
  var table: Table
  /// The declaration of a virtual table.
  var declaration: VirtualTableDeclaration?

  init(name: String, kind: Table.Kind) {
    table = Table(name: name, kind: kind, columns: [], primaryKey: [])
  }

  subscript<Value>(dynamicMember property: KeyPath<Table, Value>) -> Value { table[keyPath: property] }

  subscript<Value>(dynamicMember property: WritableKeyPath<Table, Value>) -> Value {
    get { table[keyPath: property] }
    _modify { yield &table[keyPath: property] }
  }

  /// Returns the name of a column as the schema spells it.
  func columnName(_ name: String) -> String? {
    table.columns.first { $0.name.equalsIgnoringCase(name) }?.name
  }
}
