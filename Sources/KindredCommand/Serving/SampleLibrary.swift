import Foundation
import KindredMigrations
import KindredSQLite

/// The database that `serve` uses when none is given.
///
/// It is created from its migrations in a temporary directory at each start, so that the examples of the documentation
/// always work.
struct SampleLibrary {
  /// The path of the database.
  let path: String
  private let directory: URL

  /// Creates the directory.
  ///
  /// - Throws: `SampleLibraryError`
  init() throws {
    let directory = Self.temporaryDirectory.appending(path: "kindred-library-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw SampleLibraryError.noTemporaryDirectory(directory.deletingLastPathComponent().path)
    }
    self.directory = directory
    path = directory.appending(path: "library.sqlite").path
  }

  /// Creates the database.
  ///
  /// - Parameter migrations: the directory of the migrations; nil for the one installed with the program.
  func create(migrations: String?) throws {
    let migrator = try MigrationSettings.migrator(of: migrations ?? Self.migrations())
    try migrator.migrate(Connection(path: path, access: .readWriteCreate))
  }

  /// Deletes the files.
  func remove() {
    try? FileManager.default.removeItem(at: directory)
  }

  /// The directory of temporary files; an empty `TMPDIR` is none.
  private static var temporaryDirectory: URL {
    ProcessInfo.processInfo.environment["TMPDIR"]?.isEmpty == true
      ? URL(filePath: "/tmp") : FileManager.default.temporaryDirectory
  }

  /// Returns the directory of the migrations: in `share` next to the program's `bin`, or in the checkout where the
  /// program was built.
  private static func migrations() throws -> String {
    let executable = URL(filePath: Bundle.main.executablePath ?? "").resolvingSymlinksInPath()
    let installed = executable.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "share/kindred/Migrations")
    let builds = executable.pathComponents.lastIndex(of: ".build")
    let checkout = builds.map {
      URL(filePath: executable.pathComponents[1..<$0].reduce("") { "\($0)/\($1)" }).appending(
        path: "Migrations")
    }
    let candidates = [installed.path] + [checkout?.path].compactMap(\.self)
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      throw SampleLibraryError.noMigrations(installed.path)
    }
    return found
  }
}

/// The reason why the sample library can't be created.
enum SampleLibraryError: Error, CustomStringConvertible {
  case noMigrations(String)
  case noTemporaryDirectory(String)

  var description: String {
    switch self {
    case .noMigrations(let path):
      "the sample library's migrations are not at \(path); name a database, or their directory with --migrations"
    case .noTemporaryDirectory(let path):
      "the sample library can't be created in \(path); set the variable TMPDIR to a writable directory"
    }
  }
}
