import KindredSQLiteDialect
import ArgumentParser
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLiteBackend
import KindredSQLite

/// The command `kindred check`.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check an SQLite database: its file, its references and its indexes.",
    discussion: """
      Reports damage of the file, references to missing rows, and the indexes that requests for associations lack; each \
      with a line, and the statement that creates a missing index. Missing indexes make requests slow, but are no \
      failure. `kindred serve --check` checks the configuration of a server.

      Examples:
        kindred check library.db
        kindred check library.db --model model.yaml
      """)

  @Argument(help: "The database file.") var database: String
  @Option(
    "A model file; the indexes that its associations lack are reported, too, and its references to missing records.",
    value: "file")
  var model: String?

  func run() throws {
    let path = try DatabaseLocation(database).path(
      orSaying: "only SQLite databases can be checked; PostgreSQL has amcheck and pg_amcheck")
    let definition = try ModelDefinition(model)
    let pool = try ConnectionPool(path: path, access: .readOnly, readers: 1)
    defer { pool.close() }
    let failures = try pool.withReader { connection in
      let damage = try Self.damage(of: connection)
      // Nothing else can be trusted.
      let failures = damage.isEmpty ? try Self.brokenReferences(in: connection) : damage
      for failure in failures { try StandardOutput.writeLine("\(path): \(failure)".singleLine) }
      guard damage.isEmpty else { return failures }
      let model = try definition.model(of: ConnectionSchema(connection))
      for advice in try Self.looseReferences(of: model, in: connection) + Self.advice(on: model) {
        try StandardOutput.writeLine(advice)
      }
      return failures
    }
    guard failures.isEmpty else { throw ReportedMistakes() }
    try StandardOutput.writeLine("\(path): the file and its references are intact")
  }

  /// Returns what SQLite finds wrong in the file (<https://www.sqlite.org/pragma.html#pragma_integrity_check>).
  private static func damage(of connection: Connection) throws -> [String] {
    do {
      return try texts("PRAGMA integrity_check", on: connection).filter { $0 != "ok" }
    } catch let error as DatabaseError where error.isCorruption {
      return ["is damaged: \(error.text)"]
    }
  }

  /// Returns the references to missing rows, summed up by table.
  private static func brokenReferences(in connection: Connection) throws -> [String] {
    let counts = """
      SELECT "table" || ' refers to ' || count(*) || CASE count(*) WHEN 1 THEN ' missing row' ELSE ' missing rows' END \
      || ' of ' || parent || ', for example in row ' || coalesce(min(rowid), '(without a rowid)') \
      FROM pragma_foreign_key_check GROUP BY "table", parent ORDER BY 1
      """
    return try texts(counts, on: connection)
  }

  /// Returns the references of the model file that lead to missing rows, which the database lets happen.
  private static func looseReferences(of model: Model, in connection: Connection) throws -> [String] {
    try model.resources.values.flatMap { resource in
      try resource.associations.values.compactMap { association -> String? in
        guard let definition = association.definition, association.kind == "belongsTo",
          !association.isFiltered,
          let step = association.steps.first, let origin = model.tables[step.origin],
          let destination = model.tables[step.destination], origin.kind == .table, destination.kind == .table,
          destination.isIndexed(step.destinationColumns)
        else { return nil }
        let isGiven = step.originColumns.map { "origin.\(SQL.quoted($0)) IS NOT NULL" }
        let isEqual = zip(step.originColumns, step.destinationColumns).map {
          "destination.\(SQL.quoted($1)) = origin.\(SQL.quoted($0))"
        }
        let count =
          try connection.rows(
            """
            SELECT count(*) FROM \(origin.qualifiedName) AS origin
            WHERE \(isGiven.joined(separator: " AND ")) AND NOT EXISTS (
              SELECT 1 FROM \(destination.qualifiedName) AS destination WHERE \(isEqual.joined(separator: " AND ")))
            """
          ) { $0.int64(0) }.first ?? 0
        guard count > 0 else { return nil }
        let columns = step.originColumns.joined(separator: ", ")
        return
          "\(definition): \(count) \(count == 1 ? "record" : "records") of \(resource.name) refer by \(columns) to missing records of \(association.destination)"
      }
    }.sorted()
  }

  private static func texts(_ sql: String, on connection: Connection) throws -> [String] {
    try connection.rows(sql) { $0.text(0) ?? "" }
  }

  /// Returns what makes requests for associations slow: the statements that create the indexes which they lack, and
  /// the foreign keys that no index can serve.
  private static func advice(on model: Model) throws -> [String] {
    let planner = Planner(model: model, dialect: .sqlite, limits: PlanningLimits())
    var advice: Set<String> = []
    for (name, resource) in model.resources {
      for (key, association) in resource.associations {
        var root = RequestNode()
        root.children = [RequestNode(key: key, association: association)]
        let plan = try planner.plan(FetchRequest(path: RequestPath(resource: name), root: root))
        advice.formUnion(plan.missingIndexes.map { "missing index: \($0);" } + plan.mismatches)
      }
    }
    return advice.sorted()
  }
}
