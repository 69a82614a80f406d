import ArgumentParser
import KindredMigrations

/// The setting of the migrations' directory.
struct MigrationSettings: ParsableArguments {
  @Option("The directory of the migrations: files named 0001-schema.sql and so on.", value: "dir")
  var migrations: String?
}

extension MigrationSettings {
  /// Returns a migrator for the files of a directory.
  ///
  /// - Throws: `CommandError` if there are none, which is hardly intended; `MigrationError`
  static func migrator(of directory: String) throws -> Migrator {
    func refusal(_ reason: String) -> CommandError {
      CommandError("\(reason); name the directory of the migrations with --migrations")
    }
    do {
      let migrator = try Migrator(directory: directory)
      guard !migrator.migrations.isEmpty else { throw refusal("\(directory): no file in it ends in .sql") }
      return migrator
    } catch let error as MigrationError where error.file == directory {
      throw refusal("\(error)")
    }
  }
}
