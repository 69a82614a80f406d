import ArgumentParser
import Foundation

/// The command `kindred backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy an SQLite database to a new file, while it is served.",
    discussion: """
      The copy shows the database at one moment, with everything that is committed by then, and nobody has to wait for \
      it in WAL mode, in which databases are served with --writable. FILE must not exist; it appears when the copy is \
      complete.

      Examples:
        kindred backup library.db library-2026-11-21.db
      """)

  @Argument(help: "The database file.") var database: String
  @Argument(help: "The file to create.") var file: String

  func run() throws {
    let path = try DatabaseLocation(database).path(
      orSaying: "only SQLite databases can be copied; use pg_dump for PostgreSQL")
    try DatabaseCopy.create(of: path, at: file)
    let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    StandardOutput.report("\(file): \(size) bytes")
  }
}
