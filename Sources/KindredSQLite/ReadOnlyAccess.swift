import CKindredSQLite

/// Chooses the access to a database that is only read.
///
/// In rollback-journal mode a plain read-only connection always works. In WAL mode even a reader needs the `-shm` file
/// next to the database, and creates it if it is missing (<https://www.sqlite.org/wal.html#read_only_databases>). If it
/// can't, on a read-only medium or in a directory of another user, only `immutable` is left, which takes no locks and
/// gives wrong results as soon as anybody writes. So it is chosen only if
///
/// - this process can't write to the directory, so that no process of the same user changes the file; and
/// - there is no WAL file with content, whose commits `immutable` would ignore. While another process has the
///   database open, both files exist and a plain connection works.
enum ReadOnlyAccess {
  static func choose(path: String, configuration: ConnectionConfiguration) throws -> Connection.Access {
    do {
      _ = try Connection(path: path, access: .readOnly, configuration: configuration)
      return .readOnly
    } catch let error as OpenError where error.reason == .directoryNotWritable {
      // SQLite expects the files next to the database, not next to a symbolic link to it.
      let file = FileStatus.resolved(path)
      guard FileStatus.size(file + "-wal") == 0 else { throw OpenError(.needsRecovery, path: path) }
      guard !FileStatus.isWritable(FileStatus.directory(of: file)) else { throw error }
      guard FileStatus(path: file + "-shm") == .missing else {
        throw OpenError(.unreadable, path: file + "-shm")
      }
      return .immutable
    }
  }
}
