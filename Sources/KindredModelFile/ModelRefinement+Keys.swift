import KindredModel
import KindredPlanning
import OrderedCollections

extension ModelRefinement {
  /// Gives tables the keys, foreign keys and searches that their schema doesn't declare, and infers the model from these
  /// too.
  mutating func defineKeys() throws {
    let isNeeded = refinements.contains {
      $0.refinement.key != nil || $0.refinement.search != nil || !$0.refinement.foreignKeys.isEmpty
    }
    guard isNeeded else { return }
    let tables = tablesByName
    for (name, refinement) in refinements {
      guard let key = refinement.key, let table = tables[name.value] else { continue }
      try errors.attempt { try define(key, of: table, in: name) }
    }
    for (name, refinement) in refinements {
      guard let search = refinement.search, let table = tables[name.value] else { continue }
      try errors.attempt { try define(search, of: table) }
    }
    for (name, refinement) in refinements {
      guard let table = tables[name.value] else { continue }
      for entry in refinement.foreignKeys {
        try errors.attempt {
          let key = try foreignKey(entry, of: table, among: tables)
          let given = UndeclaredForeignKey(key: key, definition: "\(file.name):\(entry.line)")
          model.tables[table]?.undeclaredForeignKeys.append(given)
        }
      }
    }
    let warnings = model.warnings
    var schema = Schema(tables: Array(model.tables.values))
    schema.searchConfigurations = model.searchConfigurations
    model = Model(inferredFrom: schema)
    model.warnings = warnings
  }

  /// The names of the tables, by the names that the file gives to their resources, or else leaves them.
  private var tablesByName: NameDictionary<String> {
    var tables: NameDictionary<String> = [:]
    let given = refinements.compactMap { name, refinement in
      refinement.table.map { (name.value, (try? table($0))?.name) }
    }
    let renamed = NameSet(given.compactMap(\.1))
    let removed = NameSet(file.resources.filter { $0.refinement == nil }.map(\.name.value))
    let mentioned = NameSet(refinements.map(\.name.value))
    for resource in model.resources.values
    where !removed.contains(resource.name)
      && (mentioned.contains(resource.name) || !renamed.contains(resource.table.name))
    {
      tables[resource.name] = resource.table.name
    }
    for (name, table) in given { tables[name] = table }
    return tables
  }

  // MARK: Keys

  private mutating func define(
    _ key: [Located<String>], of name: String, in resource: Located<String>
  ) throws {
    guard let table = model.tables[name] else { return }
    let line = key.first?.line ?? resource.line
    guard table.kind == .view || table.isKeyless else {
      let own = table.primaryKey.map { "`\(table.columns[$0].name)`" }.joined(separator: ", ")
      throw file.error(
        line,
        "`key` is for views and for tables without a declared key, and the table `\(table.name)` has its own (\(own)); remove it"
      )
    }
    let names = try key.map { try column($0, of: table) }
    guard !names.isEmpty, Set(names).count == names.count else {
      throw file.error(line, "`key` must list the columns that identify a row, each once; write `[id]`")
    }
    if let other = givenKeys[name], other != names {
      throw file.error(
        line, "`\(table.name)` already has another key; give all of its resources the same key")
    }
    givenKeys[name] = names
    model.tables[name] = table.identified(byGiven: names)
  }

  // MARK: Searches

  /// Makes a vector of a table the one in which searches look.
  private mutating func define(_ search: ModelFile.SearchDefinition, of name: String) throws {
    guard let table = model.tables[name] else { return }
    let vectors = table.columns.filter { $0.indexedColumns != nil }
    guard let first = vectors.first else {
      throw file.error(
        search.line, "`search` is for tables with a tsvector column, and `\(table.name)` has none; remove it")
    }
    var vector = first
    if let named = search.column {
      let column = try column(named, of: table)
      guard let found = vectors.first(where: { $0.name == column }) else {
        let names = vectors.map { "`\($0.name)`" }.joined(separator: ", ")
        throw file.error(named.line, "`\(column)` is no tsvector column; write \(names)")
      }
      vector = found
    } else if vectors.count > 1 {
      let names = vectors.map { "`\($0.name)`" }.joined(separator: ", ")
      throw file.error(
        search.line, "`\(table.name)` has several tsvector columns (\(names)); name one with `column`")
    }
    if let configuration = search.configuration {
      guard model.searchConfigurations.contains(configuration.value) else {
        throw file.unknown(
          configuration, "there is no text search configuration `\(configuration.value)`",
          among: model.searchConfigurations)
      }
      vector.searchConfiguration = configuration.value
    }
    model.tables[name]?.fullText = table.fullText(of: vector)
  }

  // MARK: Foreign keys

  private func foreignKey(
    _ entry: ModelFile.ForeignKeyEntry, of name: String, among tables: NameDictionary<String>
  ) throws -> ForeignKey {
    guard let table = model.tables[name] else {
      throw file.error(entry.line, "there is no table `\(name)`")
    }
    let own = try entry.columns.map { try column($0, of: table) }
    guard Set(own).count == own.count else {
      throw file.error(entry.line, "a foreign key must name each column once")
    }
    guard let referred = tables[entry.destination.value].flatMap({ model.tables[$0] }) else {
      let error = file.unknown(
        entry.destination, "there is no resource `\(entry.destination.value)`", among: tables.keys)
      // `{ authorId: id }` is what an association's `foreignKey` has.
      throw model.tables.values.contains { $0.column(named: entry.destination.value) != nil }
        ? file.error(
          entry.destination.line,
          error.message + "; `foreignKeys` name resources, unlike an association's `foreignKey`: "
            + ModelFileParser.foreignKeyForm) : error
    }
    return ForeignKey(
      columns: own, destination: referred.name,
      destinationColumns: try referredColumns(of: entry, count: own.count, in: referred))
  }

  /// Returns the columns that a foreign key refers to: those of a unique key.
  private func referredColumns(
    of entry: ModelFile.ForeignKeyEntry, count: Int, in referred: Table
  ) throws -> [String] {
    let name = entry.destination.value
    let key = referred.primaryKey.map { referred.columns[$0].name }
    func list(_ columns: [String]) -> String { columns.map { "`\($0)`" }.joined(separator: ", ") }
    guard let named = entry.destinationColumns else {
      guard !key.isEmpty else {
        throw file.error(
          entry.destination.line, "`\(name)` has no key; name the column, as in `{ \(name): column }`")
      }
      guard key.count == count else {
        throw file.error(
          entry.destination.line,
          "the key of `\(name)` has \(key.count) columns (\(list(key))), and the foreign key \(count); write `- { columns: […], references: \(name), to: [\(key.joined(separator: ", "))] }` in a list"
        )
      }
      return key
    }
    let columns = try named.map { try column($0, of: referred) }
    guard columns.count == count else {
      throw file.error(
        entry.line, "the foreign key has \(count) columns, and `to` has \(columns.count) (\(list(columns)))")
    }
    guard referred.isIdentified(by: columns) else {
      throw file.error(
        named[0].line,
        "\(list(columns)) of `\(name)` aren't unique: refer to a key, or write the association under `associations`"
      )
    }
    return columns
  }
}
