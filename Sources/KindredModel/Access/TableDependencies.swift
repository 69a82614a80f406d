/// The tables that views, full-text tables and queries read, directly and through others, each determined once.
package struct TableDependencies {
  /// Returns the names of the tables that one reads, given all common table expressions, as ``Table/dependencyName``; nil
  /// if it may read any table.
  package typealias Reader = (_ table: Table, _ definitions: [Table]) throws -> NameSet?

  private let reader: Reader
  private let definitions: [Table]
  /// The tables that show others, by the names that dependencies give them.
  private let others: NameDictionary<Table>
  private var direct: NameDictionary<NameSet?> = [:]

  /// Creates the dependencies of the tables of a model, which are determined when they are needed.
  package init(in model: Model, _ reader: @escaping Reader) {
    self.reader = reader
    definitions = model.tables.values.filter {
      if case .commonTableExpression = $0.kind { true } else { false }
    }
    others = NameDictionary(
      model.tables.values.filter(\.showsOthers).map { ($0.dependencyName, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the names of the tables that a table reads, as ``Table/dependencyName``; nil if it may read any table.
  package mutating func tables(readBy table: Table) throws -> NameSet? {
    var found = NameSet()
    var waiting = [table]
    while let table = waiting.popLast() {
      guard let names = try tables(readDirectlyBy: table) else { return nil }
      for name in names where found.insert(name) {
        if let next = others[name] { waiting.append(next) }
      }
    }
    return found
  }

  private mutating func tables(readDirectlyBy table: Table) throws -> NameSet? {
    if let known = direct[table.dependencyName] { return known }
    let names = try reader(table, definitions)
    direct[table.dependencyName] = .some(names)
    return names
  }
}
