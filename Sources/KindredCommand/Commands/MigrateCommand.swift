import ArgumentParser
import KindredMigrations
import KindredSQLite
import Logging

/// The command `kindred migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Apply numbered SQL files to a database.",
    discussion: """
      Each file of the directory is applied once, in the order of the numbers and in a transaction of its own. A file \
      that fails, or that has changed since it was applied, stops the run. A database that doesn't exist is created.

      Examples:
        kindred migrate library.sqlite
        kindred migrate shop.db --migrations db/migrations
      """)

  @Argument(help: "The database file.") var database: String
  @OptionGroup var migrations: MigrationSettings

  func run() throws {
    guard case .file(let path) = try DatabaseLocation(database) else {
      throw ValidationError("migrations can be applied only to SQLite; use another tool for PostgreSQL")
    }
    let directory = migrations.migrations ?? "Migrations"
    let migrator = try MigrationSettings.migrator(of: directory)
    let applied = try migrator.migrate(Connection(path: path, access: .readWriteCreate)) { event in
      switch event {
      case .found(let references): Logger.kindred(level: .warning).warning("\(references)")
      case .applied(let migration): StandardOutput.report("applied \(migration.fileName)")
      }
    }
    if applied.isEmpty {
      StandardOutput.report("the database is up to date (applied migrations: \(migrator.migrations.count))")
    }
  }
}
