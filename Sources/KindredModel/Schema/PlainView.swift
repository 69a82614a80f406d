/// What a plain view shows: the rows of one table, each at most once, and some of its columns.
///
///     CREATE VIEW livingAuthor AS SELECT id, name, countryCode FROM author WHERE deathYear IS NULL
///
/// Where it has their columns, the key, the foreign keys, the uniqueness and the types of the table are its own. The
/// readers of schemas decide which views are plain, by the rules of their database.
public struct PlainView: Sendable, Hashable {
  /// The name of the table; nil if that isn't served.
  ///
  /// A plain view of another one shows the table of that.
  public let table: String?
  /// The view to which foreign keys to the table lead, if that isn't served.
  public let standIn: String?
  /// The names of the table's columns that the view's columns show, in their order; nil for an expression.
  public let columns: [String?]
  /// The names of the view's columns, by the names of the table's columns that they show.
  let names: [ExactName: String]

  /// Returns the names of the view's columns that show these; nil if it lacks any.
  func names(of columns: [String]) -> [String]? {
    let found = columns.compactMap { names[ExactName($0)] }
    return found.count == columns.count ? found : nil
  }
}

extension Table {
  /// Returns the view as a plain view of a table.
  ///
  /// - Parameters:
  ///   - table: The table whose rows it shows.
  ///   - columns: For each column of the view, the name of the table's column that it shows; nil for an expression.
  ///   - isServed: Whether the table is a resource too.
  ///   - standIn: The view to which foreign keys to the table lead, if that isn't served.
  ///   - writesThrough: Whether changes of the view are changes of the table, with its defaults.
  package func showing(
    _ table: Table, in columns: [String?], isServed: Bool = true, standIn: String? = nil,
    writesThrough: Bool = false
  ) -> Table {
    var view = self
    let names = Dictionary(
      zip(columns, self.columns).compactMap { shown, own in shown.map { (ExactName($0), own.name) } },
      uniquingKeysWith: { first, _ in first })
    view.columns = zip(self.columns, columns).map { own, shown in
      guard
        var column = shown.flatMap({ table.columns.first(named: $0) }).map({ own.showing($0, writesThrough) })
      else { return own }
      column.indexedColumns = column.indexedColumns?.compactMap { names[ExactName($0)] }
      return column
    }
    let plain = PlainView(
      table: isServed ? table.name : nil, standIn: standIn, columns: columns,
      names: names)
    func positions(_ key: [Int]) -> [Int]? {
      plain.names(of: key.map { table.columns[$0].name })?.compactMap { view.columns.firstIndex(named: $0) }
    }
    view.plainView = plain
    if let vector = view.fullText?.vector, let column = view.column(named: vector) {
      view.fullText = view.fullText(of: column)
    }
    view.distribution = table.distribution.map { distribution in
      Distribution(
        column: distribution.column.flatMap { names[ExactName($0)] }, colocation: distribution.colocation)
    }
    view.primaryKey = positions(table.primaryKey) ?? []
    // A rowid that would identify records with NULL in their key isn't in the view.
    view.isKeyPartial =
      table.isKeyPartial || table.identity.map(\.name) != table.primaryKey.map { table.columns[$0].name }
    view.uniqueKeys = table.uniqueKeys.compactMap(positions)
    view.indexes = table.indexes.map { index in
      Index(
        columns: index.columns.map { $0.flatMap { names[ExactName($0)] } }, collations: index.collations,
        isUnique: index.isUnique, orders: index.orders)
    }
    func shown(_ keys: [ForeignKey]) -> [ForeignKey] {
      keys.compactMap { key in
        plain.names(of: key.columns).map {
          ForeignKey(
            columns: $0, destination: key.destination, destinationColumns: key.destinationColumns,
            isDeferred: key.isDeferred, hasPeriod: key.hasPeriod)
        }
      }
    }
    view.foreignKeys = shown(table.foreignKeys)
    view.temporalForeignKeys = shown(table.temporalForeignKeys)
    view.partlyShownForeignKeys =
      (table.foreignKeys + table.temporalForeignKeys + table.partlyShownForeignKeys)
      .compactMap { key in
        let columns = key.columns.compactMap { plain.names[ExactName($0)] }
        guard !columns.isEmpty, columns.count < key.columns.count || key.destinationColumns.isEmpty else {
          return nil
        }
        return ForeignKey(columns: columns, destination: key.destination, destinationColumns: [])
      }
    view.unservedReferences = table.unservedReferences.map { $0.compactMap { plain.names[ExactName($0)] } }
      .filter { !$0.isEmpty }
    return view
  }
}

extension Column {
  /// Returns the column of a view as one that shows a column of its table.
  fileprivate func showing(_ column: Column, _ writesThrough: Bool) -> Column {
    var shown = column
    (shown.name, shown.comment) = (name, comment ?? column.comment)
    guard !writesThrough else { return shown }
    // Only the triggers of the view know what an omitted value becomes.
    (shown.isGenerated, shown.hasDefault, shown.defaultValue) = (isGenerated, true, defaultValue)
    shown.generation = nil
    return shown
  }
}
