import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredSQLiteDialect

/// What resolving a request needs to know of the database that it is for.
package struct RequestSchema {
  /// The tables, each as a resource of the same name.
  let model: Model
  /// Whether the database is a server's, which gives each record once, however many are joined to it.
  let isElsewhere: Bool
  /// Returns the open database for a part of a request that only it can resolve, such as `with(_:)`.
  let database: (_ part: String) throws -> Database
  /// Returns the error for a table that doesn't exist.
  let missingTable: (_ name: String) throws -> any Error

  /// Creates the schema of a database elsewhere.
  ///
  /// - Parameters:
  ///   - tables: The tables.
  ///   - missingTable: Returns the error for a table that isn't among them.
  ///   - refusal: Returns the error for a part of a request that only an open database can resolve.
  package init(
    tables: [KindredModel.Table], missingTable: @escaping (_ name: String) -> any Error,
    refusal: @escaping (_ part: String) -> any Error
  ) {
    model = Model(rowsOf: Schema(tables: tables))
    self.missingTable = missingTable
    isElsewhere = true
    database = { part in throw refusal(part) }
  }

  /// Creates the schema of an open database.
  init(_ db: Database) throws {
    model = try db.model
    isElsewhere = false
    database = { _ in db }
    missingTable = db.missingTable
  }
}

/// A request as the engine knows it, with the plan that tells the layout of its rows.
package struct ResolvedBlueprint {
  /// The request, whose resources are tables.
  package let request: KindredModel.FetchRequest
  /// Its plan for a database in SQLite.
  package let plan: Plan
}

extension RequestBlueprint {
  /// Keeps the first row only.
  package mutating func limitToOne() { limit = min(limit ?? 1, 1) }

  /// Returns the engine's request.
  ///
  /// - Throws: `AssociationError`, `RecordKeyError`; the errors of `schema`.
  package func resolved(in schema: RequestSchema) throws -> ResolvedBlueprint {
    let resolver = try BlueprintResolver(schema, self)
    let request = try resolver.request(self)
    return ResolvedBlueprint(
      request: request, plan: try Planner(model: resolver.model, dialect: .sqlite).planRows(request))
  }
}
