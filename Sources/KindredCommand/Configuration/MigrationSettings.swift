import ArgumentParser
import KindredMigrations

/// Where migrations are.
struct MigrationSettings: ParsableArguments {
  @Option(
    name: .customLong("migrations"),
    help: .init("The directory of the migrations: files named 0001-schema.sql and so on.", valueName: "dir"))
  var migrations: String?
}

extension MigrationSettings {
  /// The migrations of a directory.
  ///
  /// - Throws: `NoMigrationsError` where there are none, as that is hardly meant; `MigrationError`
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

/// A directory holds no migrations.
struct NoMigrationsError: Error, CustomStringConvertible {
  let reason: String

  var description: String { "\(reason); name the directory of the migrations with --migrations" }
}
