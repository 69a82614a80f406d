import CKindredSQLite

/// How a database that is not to be written to can be read.
///
/// In rollback-journal mode a plain read-only connection always does. In WAL mode even a reader needs the
/// `-shm` file beside the database, and makes it where there is none
/// (<https://www.sqlite.org/wal.html#read_only_databases>). Where it can't, on a read-only medium or in
/// somebody else's directory, only `immutable` is left, which takes no locks and is wrong as soon as
/// somebody writes. So it is not chosen for any failure, but only where
///
/// - this process could not write: then it can't be one of us who changes the file; and
/// - no WAL file with content lies there: `immutable` would overlook what has been committed to it. While
///   another process has the database open there are both files, and a plain connection works.
enum ReadOnlyAccess {
  static func choose(path: String, configuration: ConnectionConfiguration) throws -> Connection.Access {
    do {
      _ = try Connection(path: path, access: .readOnly, configuration: configuration)
      return .readOnly
    } catch let error as OpenError where error.reason == .directoryNotWritable {
      // SQLite looks beside the file, not beside a symbolic link to it.
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
