/// Brings a database to the state that numbered SQL files describe.
///
/// Each file is applied once, in the order of the numbers and in a separate transaction. The table
/// `kindred_migration` records the applied ones.
public struct Migrator: Sendable {
  /// The migrations in order.
  public let migrations: [Migration]

  private let directory: String?

  /// Creates a migrator for the given migrations.
  ///
  /// - Throws: `MigrationError` if two have the same number.
  public init(_ migrations: [Migration]) throws {
    try self.init(migrations, directory: nil)
  }

  /// Creates a migrator for the files of a directory whose names end in `.sql`.
  ///
  /// - Throws: `MigrationError` if a file is misnamed or can't be read, or two have the same number.
  public init(directory: String) throws {
    let migrations = try Directory.fileNames(directory).filter { $0.hasSuffix(".sql") }.map { name in
      try Migration(fileName: name, sql: Directory.text(of: directory + "/" + name))
    }
    try self.init(migrations, directory: directory)
  }

  private init(_ migrations: [Migration], directory: String?) throws {
    self.migrations = migrations.sorted { ($0.number, $0.fileName) < ($1.number, $1.fileName) }
    self.directory = directory
    for (first, second) in zip(self.migrations, self.migrations.dropFirst())
    where first.number == second.number {
      throw MigrationError(.duplicateNumber(otherFile: first.fileName), file: path(second.fileName))
    }
  }

  /// Returns the migrations that `migrate` would apply.
  ///
  /// - Throws: `MigrationError` if the files contradict what has been applied; an error of the database.
  public func pending(on target: some MigrationTarget) throws -> [Migration] {
    try pending(after: target.appliedMigrations)
  }

  private func pending(after applied: [AppliedMigration]) throws -> [Migration] {
    let numbers = Set(migrations.map(\.number))
    for former in applied where !numbers.contains(former.number) {
      throw MigrationError(.missing, file: path(former.fileName))
    }
    var pending: [Migration] = []
    for migration in migrations {
      if let former = applied.first(where: { $0.number == migration.number }) {
        guard migration.hasChecksum(former.checksum) else {
          throw MigrationError(.changed, file: path(migration.fileName))
        }
      } else if let last = applied.last, last.number > migration.number {
        throw MigrationError(.outOfOrder(laterFile: last.fileName), file: path(migration.fileName))
      } else {
        pending.append(migration)
      }
    }
    return pending
  }

  /// An event of a run.
  public enum Event: Sendable {
    /// The database contained broken references before the run.
    case found(BrokenReferences)
    /// A migration was applied and committed.
    case applied(Migration)
  }

  /// Applies the migrations that have not been applied yet.
  ///
  /// A file that fails is rolled back, and the following ones are not run.
  ///
  /// - Parameter report: called for each event when it happens.
  /// - Returns: The migrations that were applied.
  /// - Throws: `MigrationError`, also if what others have applied in the meantime contradicts the files; an error of the
  ///   database if it can't be read.
  @discardableResult
  public func migrate(
    _ target: some MigrationTarget, report: (Event) -> Void = { _ in }
  ) throws -> [Migration] {
    let pending = try pending(on: target)
    return try target.prepared {
      try pending.filter { migration in
        let isFirst = migration == pending.first
        let isApplied = try apply(migration, to: target) { if isFirst { report(.found($0)) } }
        if isApplied { report(.applied(migration)) }
        return isApplied
      }
    }
  }

  private func apply(
    _ migration: Migration, to target: some MigrationTarget, _ found: (BrokenReferences) -> Void
  ) throws -> Bool {
    do {
      return try target.apply(
        migration, if: { try self.pending(on: target).contains(migration) }, found: found)
    } catch let failure as MigrationFailure {
      throw MigrationError(failure.reason, file: path(migration.fileName), line: failure.line)
    }
  }

  /// Returns the standing of each file.
  ///
  /// - Throws: `MigrationError` if the files contradict what has been applied; an error of the database.
  public func status(on target: some MigrationTarget) throws -> [Status] {
    let applied = try target.appliedMigrations
    // This compares them.
    _ = try pending(after: applied)
    return statuses(after: applied)
  }

  /// The standing of each file for a database that doesn't exist yet.
  public var newStatus: [Status] { statuses(after: []) }

  private func statuses(after applied: [AppliedMigration]) -> [Status] {
    migrations.map { migration in
      Status(migration: migration, appliedAt: applied.first { $0.number == migration.number }?.time)
    }
  }

  private func path(_ fileName: String) -> String {
    directory.map { "\($0)/\(fileName)" } ?? fileName
  }
}

extension Migrator {
  /// A file, and whether it has been applied.
  public struct Status: Sendable {
    /// The file.
    public let migration: Migration
    /// When it was applied, in UTC; nil if it hasn't been.
    public let appliedAt: String?
  }

  /// Returns the name of the next file of a directory: `0003-NAME.sql`, with as many digits as the others.
  public func nextFileName(_ name: String) -> String {
    let last = migrations.last
    let digits = last?.fileName.prefix { $0.isNumber }.count ?? 4
    let number = String((last?.number ?? 0) + 1)
    return String(repeating: "0", count: max(0, digits - number.count)) + number + "-\(name).sql"
  }
}
