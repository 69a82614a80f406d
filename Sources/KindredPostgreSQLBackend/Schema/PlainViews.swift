import KindredModel

/// The plain views of a database, and what they show.
struct PlainViews {
  typealias Draft = PostgreSQLSchemaReader.Draft

  /// The table that a view shows, for each column of the view the column of the table, and whether it leaves out records.
  private typealias Source = (table: Int, columns: [String?], hasCondition: Bool)

  /// What the plain views show, by their places among the drafts.
  private var sources: [Int: Source] = [:]
  private var visited: Set<Int> = []
  /// The plain views to which foreign keys to tables that aren't served lead, by these.
  private var standIns: [Int: Int] = [:]
  /// What to tell of the choices among several views.
  private(set) var choices: [String] = []

  /// - Parameter places: The places of the drafts, by their OIDs.
  init(_ drafts: [Draft], _ places: [Int64: Int]) {
    for place in drafts.indices { _ = source(of: place, drafts, places) }
    let views = Dictionary(
      grouping: sources.filter { drafts[$0.key].isServed && !drafts[$0.value.table].isServed }.keys,
      by: { sources[$0]?.table ?? $0 })
    for (table, views) in views.sorted(by: { $0.key < $1.key }) { choose(among: views, of: table, drafts) }
  }

  /// Chooses the view to which foreign keys to a table lead that isn't served.
  ///
  /// That is the one with the table's name, else of those without a condition, else of all, the first by name; one that
  /// doesn't show the table's key only if none does.
  private mutating func choose(among views: [Int], of table: Int, _ drafts: [Draft]) {
    let key = drafts[table].primaryKey.map { drafts[table].columns[$0].name }
    let ranks = views.map { view in
      (
        view: view,
        rank: [
          key.allSatisfy { sources[view]?.columns.contains($0) ?? false },
          drafts[view].relation == drafts[table].relation, !(sources[view]?.hasCondition ?? true),
        ].map { $0 ? 0 : 1 }
      )
    }
    let sorted = ranks.sorted { one, other in
      one.rank == other.rank
        ? drafts[one.view].name < drafts[other.view].name : one.rank.lexicographicallyPrecedes(other.rank)
    }.map(\.view)
    standIns[table] = sorted.first
    guard sorted.count > 1 else { return }
    let others = sorted.dropFirst().map { drafts[$0].name }.sorted().joined(separator: ", ")
    choices.append(
      "foreign keys to the table \(drafts[table].name), which isn't served, lead to its view \(drafts[sorted[0]].name), and not to \(others); the model file can name another"
    )
  }

  private mutating func source(of place: Int, _ drafts: [Draft], _ places: [Int64: Int]) -> Source? {
    if let known = sources[place] { return known }
    // Views may be circular, which PostgreSQL refuses only when they are read.
    guard visited.insert(place).inserted else { return nil }
    let targets = drafts[place].targets?.columns ?? []
    // All that are columns are of the one table.
    guard let read = targets.lazy.compactMap({ $0 }).first.flatMap({ places[$0.relation] }), read != place,
      targets.count == drafts[place].columns.count
    else { return nil }
    var source: Source = (read, drafts[read].columns.map(\.name), false)
    if drafts[read].kind == "v" {
      guard let inner = self.source(of: read, drafts, places) else { return nil }
      source = inner
    }
    source.hasCondition = source.hasCondition || drafts[place].targets?.hasCondition ?? false
    source.columns = targets.map { target in
      target.flatMap { drafts[read].numbers.firstIndex(of: $0.column) }.flatMap { source.columns[$0] }
    }
    sources[place] = source
    return source
  }

  /// Returns where foreign keys to a table lead: to the table, or to the plain view that stands in for one that isn't served.
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
      standIn: standIns[source.table].map { drafts[$0].name }, writesThrough: drafts[place].writesThrough)
  }
}
