import KindredModel

/// The plain views of a database, and what they show.
struct PlainViews {
  typealias Draft = PostgreSQLSchemaReader.Draft

  /// The table that a view shows and, for each column of the view, the column of the table.
  private typealias Source = (table: Int, columns: [String?])

  /// What the plain views show, by their places among the drafts.
  private var sources: [Int: Source] = [:]
  /// The only plain views of tables that aren't served, by these.
  private var standIns: [Int: Int] = [:]

  /// - Parameter places: The places of the drafts, by their OIDs.
  init(_ drafts: [Draft], _ places: [Int64: Int]) {
    for place in drafts.indices { _ = source(of: place, drafts, places) }
    let views = Dictionary(
      grouping: sources.filter { drafts[$0.key].isServed && !drafts[$0.value.table].isServed }.keys,
      by: { sources[$0]?.table ?? $0 })
    standIns = views.filter { $0.value.count == 1 }.compactMapValues(\.first)
  }

  private mutating func source(of place: Int, _ drafts: [Draft], _ places: [Int64: Int]) -> Source? {
    if let known = sources[place] { return known }
    let targets = drafts[place].targets?.columns ?? []
    // All that are columns are of the one table.
    guard let read = targets.lazy.compactMap({ $0 }).first.flatMap({ places[$0.relation] }), read != place,
      targets.count == drafts[place].columns.count
    else { return nil }
    var source: Source = (read, drafts[read].columns.map(\.name))
    if drafts[read].kind == "v" {
      guard let inner = self.source(of: read, drafts, places) else { return nil }
      source = inner
    }
    source.columns = targets.map { target in
      target.flatMap { drafts[read].numbers.firstIndex(of: $0.column) }.flatMap { source.columns[$0] }
    }
    sources[place] = source
    return source
  }

  /// Returns where foreign keys to a table lead: to the table, or to the only plain view of one that isn't served.
  func destination(
    _ place: Int, _ columns: [String], in drafts: [Draft]
  ) -> (name: String, columns: [String])? {
    if drafts[place].isServed { return (drafts[place].name, columns) }
    guard let view = standIns[place], let source = sources[view] else { return nil }
    let names = columns.compactMap { column in
      source.columns.firstIndex { $0 == column }.map { drafts[view].columns[$0].name }
    }
    return names.count == columns.count ? (drafts[view].name, names) : nil
  }

  /// Returns the finished table, with what a plain view has of the table that it shows.
  func table(_ place: Int, of drafts: [Draft]) -> Table {
    guard let source = sources[place] else { return drafts[place].table }
    return drafts[place].table.showing(
      drafts[source.table].table, in: source.columns, isServed: drafts[source.table].isServed,
      isStandIn: standIns[source.table] == place, writesThrough: drafts[place].writesThrough)
  }
}
