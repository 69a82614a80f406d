import KindredPostgreSQL

/// Whether the rows of relations, and of queries, stay the same until something is committed in the database.
///
/// They do if all that a definition calls is IMMUTABLE, or is known to depend on settings alone, and so is what that
/// calls; whatever isn't known counts as reading the clock.
struct TimeDependence {
  /// A relation or function.
  private struct Object {
    let name: String
    var relations: Set<Int64> = []
    var functions: Set<Int64> = []
    var types: Set<Int64> = []
    var isVolatile = false
    /// The text of a function of which there is no tree.
    var text: DefinitionText?
    /// Whether assignments in the text read texts as values of any type.
    var assigns = false

    /// - Parameter references: The words of ``TimeQueries``.
    init(_ name: String, _ references: String) {
      self.name = name
      for reference in references.split(separator: " ") {
        guard let id = Int64(reference.dropFirst()) else {
          isVolatile = true
          continue
        }
        switch reference.first {
        case "r": relations.insert(id)
        case "f": functions.insert(id)
        default: types.insert(id)
        }
      }
    }
  }

  private var relations: [Int64: Object] = [:]
  private var functions: [Int64: Object] = [:]
  private var volatileRelations: Set<Int64> = []
  private var volatileFunctions: Set<Int64> = []
  private var types: Set<Int64> = []
  private var operators: [(name: String, function: Int64)] = []
  private var casts: Set<Int64> = []
  /// Names as texts have them.
  private var callNames: Set<String> = []
  private var typeNames: Set<String> = []
  private var compositeNames: Set<String> = []
  /// The names of the database's own volatile relations and functions; a function may be called like a column.
  private var ownNames: Set<String> = []

  /// - Parameter results: Those of ``TimeQueries/all``, and more.
  init(_ results: ArraySlice<QueryResult>) {
    let results = Array(results)
    guard results.count >= 3 else { return }
    readNames(results[2])
    for row in 0..<results[0].rowCount {
      guard let id = results[0].integer(row, 0), let name = results[0].text(row, 1) else { continue }
      var object = Object(name, results[0].text(row, 3) ?? "")
      object.isVolatile = object.isVolatile || ["S", "f"].contains(results[0].text(row, 2))
      relations[id] = object
    }
    for row in 0..<results[1].rowCount {
      guard let id = results[1].integer(row, 0), let name = results[1].text(row, 1) else { continue }
      let kind = results[1].text(row, 2)
      var object = Object(name, results[1].text(row, 3) ?? "")
      object.isVolatile = object.isVolatile || kind == "v"
      object.assigns = kind == "plpgsql"
      if object.assigns || kind == "sql" { object.text = results[1].text(row, 4).map { DefinitionText($0) } }
      functions[id] = object
    }
    close()
  }

  private mutating func readNames(_ rows: QueryResult) {
    for row in 0..<rows.rowCount {
      guard let id = rows.integer(row, 1), let name = rows.text(row, 2) else { continue }
      switch rows.text(row, 0) {
      case "function":
        volatileFunctions.insert(id)
        callNames.insert(name)
      case "view": volatileRelations.insert(id)
      case "type":
        types.insert(id)
        typeNames.insert(name)
      case "composite":
        types.insert(id)
        compositeNames.insert(name)
      case "operator": operators.append((name, id))
      default: casts.insert(id)
      }
    }
  }

  /// Adds what depends on something volatile, until nothing more does.
  private mutating func close() {
    while true {
      let newRelations = relations.filter { !volatileRelations.contains($0.key) && isVolatile($0.value) }
      let newFunctions = functions.filter { !volatileFunctions.contains($0.key) && isVolatile($0.value) }
      if newRelations.isEmpty, newFunctions.isEmpty { return }
      volatileRelations.formUnion(newRelations.keys)
      volatileFunctions.formUnion(newFunctions.keys)
      ownNames.formUnion(newRelations.values.map(\.name))
      ownNames.formUnion(newFunctions.values.map(\.name))
    }
  }

  private func isVolatile(_ object: Object) -> Bool {
    if object.isVolatile || !object.relations.isDisjoint(with: volatileRelations)
      || !object.functions.isDisjoint(with: volatileFunctions) || !object.types.isDisjoint(with: types)
    {
      return true
    }
    guard let text = object.text else { return false }
    if isVolatile(text) { return true }
    guard object.assigns else { return false }
    let assigned = text.declared.union(text.names.intersection(typeNames))
    return !assigned.isDisjoint(with: typeNames) || !assigned.isDisjoint(with: compositeNames)
  }

  private func isVolatile(_ text: DefinitionText) -> Bool {
    text.readsClock || !text.calls.isDisjoint(with: callNames) || !text.calls.isDisjoint(with: typeNames)
      || !text.names.isDisjoint(with: ownNames) || !text.castTypes.isDisjoint(with: typeNames)
      || !text.castTypes.isDisjoint(with: compositeNames) || !casts.isDisjoint(with: volatileFunctions)
      || operators.contains { volatileFunctions.contains($0.function) && text.contains(operator: $0.name) }
  }

  /// Returns whether the rows of the relation with this OID stay the same until a commit.
  func isTimeless(relation id: Int64) -> Bool { !volatileRelations.contains(id) }

  /// Returns for each of some queries whether its rows do; they may read one another by their names.
  func timeless(_ definitions: [(name: String, sql: String)]) -> [Bool] {
    let texts = definitions.map { DefinitionText($0.sql) }
    var isTimeless = texts.map { !isVolatile($0) }
    while true {
      let names = Set(
        zip(definitions, isTimeless).filter { !$0.1 }.flatMap { [$0.0.name, $0.0.name.lowercased()] })
      let new = zip(texts, isTimeless).map { text, isTimeless in
        isTimeless && text.names.isDisjoint(with: names)
      }
      if new == isTimeless { return new }
      isTimeless = new
    }
  }
}
