import Foundation
import KindredMigrations
import KindredModelFile
import KindredSQLite

/// The database that `serve` uses when none is given.
///
/// It is created from its migrations in a temporary directory at each start, so that the examples of the documentation
/// always work.
struct SampleLibrary {
  /// The path of the database.
  let path: String
  private let directory: URL

  /// The beginning of the names of the directories.
  private static let prefix = "kindred-library-"

  /// Creates the directory.
  ///
  /// - Throws: `CommandError`
  init() throws {
    let parent = TemporaryFiles.directory
    let refusal = CommandError(
      "the sample library can't be created in \(parent.path); set the variable TMPDIR to a writable directory"
    )
    Self.removeAbandoned(in: parent)
    let directory = parent.appending(path: Self.prefix + UUID().uuidString)
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw refusal
    }
    self.directory = directory
    // Until the process ends, however it ends.
    let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Without the lock, another server would remove the directory.
    guard descriptor >= 0, flock(descriptor, LOCK_SH) == 0 else {
      try? FileManager.default.removeItem(at: directory)
      throw refusal
    }
    path = directory.appending(path: "library.sqlite").path
  }

  /// Creates the database.
  ///
  /// - Parameter migrations: the directory of the migrations; nil for the one installed with the program.
  func create(migrations: String?) throws {
    let migrator = try MigrationSettings.migrator(of: migrations ?? Self.migrations())
    try migrator.migrate(Connection(path: path, access: .readWriteCreate))
  }

  /// Returns the model file of the library, which shows what a model file can add; nil for other migrations.
  func modelFile(migrations: String?) throws -> ModelFile? {
    migrations == nil ? try ModelFileParser(path: "library.yaml").parse(Self.model) : nil
  }

  private static let model = """
    resources:
      authors:
        columns:
          age: deathYear - birthYear
          caption: name || ifnull(' (' || country.name || ')', '')
        associations:
          booksSince: { hasMany: booksSince, foreignKey: { authorId: id } }
    commonTableExpressions:
      booksSince:
        parameters: { since: integer }
        sql: SELECT * FROM book WHERE year >= :since
        as: books
    """

  /// Deletes the files.
  func remove() {
    try? FileManager.default.removeItem(at: directory)
  }

  /// When a file was last modified, in seconds since 1970.
  private static func modification(_ status: stat) -> time_t {
    #if os(macOS)
      status.st_mtimespec.tv_sec
    #else
      status.st_mtim.tv_sec
    #endif
  }

  /// Removes the directories whose servers were killed.
  private static func removeAbandoned(in parent: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for directory in names.filter({ $0.hasPrefix(prefix) }).map({ parent.appending(path: $0) }) {
      let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      // A new directory may not be locked yet.
      guard fstat(descriptor, &status) == 0, status.st_uid == getuid(),
        time(nil) - Self.modification(status) > 60, flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      try? FileManager.default.removeItem(at: directory)
    }
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
      throw CommandError(
        "the sample library's migrations are not at \(installed.path); name a database, or their directory with --migrations"
      )
    }
    return found
  }
}
