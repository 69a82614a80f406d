import CKindredSQLite

/// The reason why a database can't be opened.
public struct OpenError: Error, Hashable, Sendable {
  /// The reason why a database can't be opened.
  public enum Reason: Hashable, Sendable {
    /// The file does not exist.
    case missing
    /// The path leads to a directory.
    case directory
    /// The permissions of the file or its directories forbid reading it.
    case unreadable
    /// The file can't be written, although write access was requested.
    case notWritable
    /// The database, or a file that SQLite needs next to it, can't be created.
    case directoryNotWritable
    /// The file is not an SQLite database, or is encrypted.
    case notADatabase
    /// The file, or its schema, is damaged.
    case damaged(String)
    /// The schema has SQL that this version of SQLite doesn't know: the name of the object, and SQLite's message.
    case newer(object: String, message: String)
    /// The file is of SQLite 2.
    case formerVersion
    /// Another process holds a lock.
    case busy
    /// A journal or a WAL file has to be processed first, which needs write access.
    case needsRecovery
    /// The file was opened, and is no longer at its path: it was moved, deleted or replaced.
    case moved
    /// Its WAL file, or its file of shared memory, isn't the one that was opened.
    case withoutLog
    /// Any other message of SQLite.
    case other(String)
  }

  /// The reason why a database can't be opened.
  public let reason: Reason
  /// The path of the file.
  public let path: String

  /// Creates an error about the file at `path`.
  public init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }
}

extension OpenError: CustomStringConvertible {
  /// Describes the problem and how to fix it, in one line that begins with the path.
  public var description: String {
    let text =
      switch reason {
      case .missing:
        "no such file; check the path"
      case .directory:
        "is a directory; name the database file in it"
      case .unreadable:
        "permission denied; make the file readable, and its directories searchable, for this user"
      case .notWritable:
        "is read-only; make the file and its directory writable for this user, or open the database for reading only"
      case .directoryNotWritable:
        "its directory isn't writable, which SQLite requires for this database; create the directory, or make it writable for this user"
      case .notADatabase:
        "is not an SQLite database, or is encrypted; check the path"
      case .damaged(let message):
        "is damaged (\(message)); restore a backup, or try the .recover command of the sqlite3 shell"
      case .newer(let object, let message):
        "its `\(object)` has SQL that SQLite \(SQLiteLibrary.version) doesn't know (\(message)); use a newer version of SQLite, or drop `\(object)`"
      case .formerVersion:
        "is a database of SQLite 2, which SQLite 3 can't read; convert it: sqlite OLD .dump | sqlite3 NEW"
      case .busy:
        "is locked by another process; end that process, try again, or serve a copy of the file"
      case .needsRecovery:
        "has an unfinished journal, whose recovery requires writing; open it once with the sqlite3 shell where it is writable"
      case .moved:
        "was moved, deleted or replaced while it was open; put it back, or open what is there now"
      case .withoutLog:
        "lost its -wal or -shm file, which was removed or replaced while it was open; what is in the database file now, such as a restored backup, is served after a restart"
      case .other(let message):
        "can't be opened (\(message))"
      }
    return Self.oneLine("\(path): \(text)")
  }

  /// Returns the text without line breaks, which a path may contain.
  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}

extension OpenError {
  /// Creates the error that corresponds to SQLite's.
  init(_ error: DatabaseError, path: String, connection: OpaquePointer?) {
    let reason: Reason =
      switch error.code {
      case SQLITE_READONLY where error.extendedCode == kindred_sqlite3_readonly_directory():
        .directoryNotWritable
      case SQLITE_NOTADB: FileStatus.isOfSQLite2(path) ? .formerVersion : .notADatabase
      case SQLITE_CORRUPT:
        error.unknownSQL.map { .newer(object: $0.object, message: $0.message) } ?? .damaged(error.text)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_CANTOPEN where FileStatus.isShortOfDescriptors(sqlite3_system_errno(connection)):
        .other("too many open files")
      // The file itself has been checked before.
      case SQLITE_CANTOPEN: .directoryNotWritable
      case SQLITE_PERM, SQLITE_AUTH: .unreadable
      // A hot journal has to be rolled back first: SQLITE_READONLY_ROLLBACK, _RECOVERY, _CANTINIT.
      case SQLITE_READONLY: .needsRecovery
      default: .other(error.text)
      }
    self.init(reason, path: path)
  }
}
