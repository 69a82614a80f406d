import ArgumentParser
import KindredMigrations

/// The setting of the migrations' directory.
struct MigrationSettings: ParsableArguments {
  @Option(
    name: .customLong("migrations"),
    help: .init("The directory of the migrations: files named 0001-schema.sql and so on.", valueName: "dir"))
  var migrations: String?
}

extension MigrationSettings {
  /// Returns a migrator for the files of a directory.
  ///
  /// - Throws: `NoMigrationsError` if there are none, which is hardly intended; `MigrationError`
  static func migrator(of directory: String) throws -> Migrator {
    let migrator: Migrator
    do {
      migrator = try Migrator(directory: directory)
    } catch let error as MigrationError where error.file == directory {
      throw NoMigrationsError(reason: "\(error)")
    }
    guard !migrator.migrations.isEmpty else {
      throw NoMigrationsError(reason: "\(directory): no file in it ends in .sql")
    }
    return migrator
  }
}

/// The directory contains no migrations.
struct NoMigrationsError: Error, CustomStringConvertible {
  let reason: String

  var description: String { "\(reason); name the directory of the migrations with --migrations" }
}
