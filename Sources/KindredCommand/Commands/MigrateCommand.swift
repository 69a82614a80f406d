import ArgumentParser
import Foundation
import KindredMigrations
import KindredPostgreSQL
import KindredSQLite
import Logging

/// The command `kindred migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Apply numbered SQL files to a database.",
    discussion: """
      Each file of the directory is applied once, in the order of the numbers and in a transaction of its own. A file \
      that fails, or that has changed since it was applied, stops the run. An SQLite database that doesn't exist is \
      created. On PostgreSQL, a file whose first line is `-- no transaction` runs outside of one, and others who \
      migrate the same database wait.

      Examples:
        kindred migrate library.sqlite
        kindred migrate shop.db --migrations db/migrations
        kindred migrate shop.db --status
        kindred migrate shop.db --dry-run
        kindred migrate postgres://ada@localhost/shop
        kindred migrate --new add-tags
      """)

  @Argument(help: "The database file, or the postgres:// URL of the database.") var database: String?
  @OptionGroup var migrations: MigrationSettings
  @Flag(help: "Show which files have been applied, and when, and apply nothing.") var status = false
  @Flag(
    help:
      "Show what would be applied: the files run on a temporary copy of the database, or on PostgreSQL in a transaction that is undone."
  )
  var dryRun = false
  @Option("Create an empty file with the next number.", value: "name") var new: String?

  func validate() throws {
    guard [status, dryRun, new != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("--status, --dry-run and --new exclude one another")
    }
    if let new {
      guard database == nil else { throw ValidationError("--new takes no database") }
      guard new.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil else {
        throw ValidationError(
          "--new: '\(new)' is not valid: it must consist of letters, digits, dots, - and _")
      }
    } else if database == nil {
      throw ValidationError("Missing expected argument '<database>'")
    }
  }

  private var directory: String { migrations.migrations ?? "Migrations" }

  func run() throws {
    if let new { return try create(new) }
    let location = try DatabaseLocation(database ?? "")
    let migrator = try MigrationSettings.migrator(of: directory)
    switch location {
    case .file(let path): try run(migrator, onFile: path)
    case .postgreSQL(let target): try run(migrator, on: target)
    }
  }

  private func run(_ migrator: Migrator, onFile path: String) throws {
    if status {
      let exists = FileManager.default.fileExists(atPath: path)
      try show(exists ? migrator.status(on: Connection(path: path, access: .readOnly)) : migrator.newStatus)
    } else if dryRun {
      try tryOut(migrator, path)
    } else {
      try apply(migrator, to: Connection(path: path, access: .readWriteCreate), "applied")
    }
  }

  private func run(_ migrator: Migrator, on target: ConnectionTarget) throws {
    let database = PostgreSQLMigrationTarget(try PostgreSQLConnection(target), isTrial: dryRun)
    if status {
      try show(migrator.status(on: database))
    } else {
      try apply(migrator, to: database, dryRun ? "would apply" : "applied")
    }
  }

  private func apply(_ migrator: Migrator, to database: some MigrationTarget, _ done: String) throws {
    let applied = try migrator.migrate(database) { event in
      switch event {
      case .found(let references): Logger.kindred(level: .warning).warning("\(references)")
      case .applied(let migration): StandardOutput.report("\(done) \(migration.fileName)")
      }
    }
    if applied.isEmpty {
      StandardOutput.report("the database is up to date (applied migrations: \(migrator.migrations.count))")
    }
  }

  private func show(_ statuses: [Migrator.Status]) throws {
    for status in statuses {
      let standing = status.appliedAt.map { "applied \(status.migration.fileName) \($0)" }
      try StandardOutput.writeLine(standing ?? "pending \(status.migration.fileName)")
    }
  }

  /// Applies the files to a copy, which shows all that would fail, whatever a transaction contains.
  private func tryOut(_ migrator: Migrator, _ path: String) throws {
    let directory = TemporaryFiles.directory.appending(path: "kindred-migrate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: directory) }
    let copy = directory.appending(path: "copy.db").path
    if FileManager.default.fileExists(atPath: path) { try DatabaseCopy.create(of: path, at: copy) }
    try apply(migrator, to: Connection(path: copy, access: .readWriteCreate), "would apply")
  }

  private func create(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let path = "\(directory)/\(try Migrator(directory: directory).nextFileName(name))"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw ConfigurationError(place: path, message: String(cString: strerror(errno)))
    }
    close(descriptor)
    StandardOutput.report(path)
  }
}
