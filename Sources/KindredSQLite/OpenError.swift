/// Why a database can't be opened, in one line that says what and how to mend it.
public struct OpenError: Error, Hashable, Sendable {
  /// What is in the way.
  public enum Reason: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// The path is that of a directory.
    case directory
    /// The file, or the way to it, is not for this user to read.
    case unreadable
    /// The file can't be written to, which was asked for.
    case notWritable
    /// A file that belongs beside the database can't be made, or the database itself.
    case directoryNotWritable
    /// The file is something else, or encrypted.
    case notADatabase
    /// The file, or its schema, is damaged.
    case damaged(String)
    /// Somebody else holds the lock.
    case busy
    /// A transaction that was cut short, or is not yet in the file, can't be completed without writing.
    case needsRecovery
    /// Anything else that SQLite says.
    case other(String)
  }

  /// What is in the way.
  public let reason: Reason
  /// The path as it was given.
  public let path: String

  /// An error about the file at `path`.
  public init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }
}

extension OpenError: CustomStringConvertible {
  /// One line: the path, what is wrong with it, and how to mend it.
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
        "is read-only; make the file and its directory writable for this user, or don't ask for writing"
      case .directoryNotWritable:
        "its directory can't be written to, which SQLite has to for this database; make it, or make it writable for this user"
      case .notADatabase:
        "is not an SQLite database, or is encrypted; check the path"
      case .damaged(let message):
        "is damaged (\(message)); restore a backup, or try the .recover command of the sqlite3 shell"
      case .busy:
        "is locked by another process; end that one, or try again"
      case .needsRecovery:
        "has a journal to be completed, which takes writing; open it once with the sqlite3 shell where it is writable"
      case .other(let message):
        "can't be opened (\(message))"
      }
    return Self.oneLine("\(path): \(text)")
  }

  /// A path can hold line feeds.
  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
