import Foundation
import KindredSQLite

/// A copy of an SQLite database.
enum DatabaseCopy {
  /// Creates a copy, which has its name only once it is complete.
  ///
  /// - Throws: `CommandError` if there is a file of that name, or none can be created; `OpenError`; `DatabaseError`
  static func create(of database: String, at file: String) throws {
    func refusal(_ reason: String) -> CommandError {
      CommandError("\(file): the copy can't be created: \(reason)")
    }
    // Looked for first, so that a mistake doesn't cost the time of a copy.
    var status = stat()
    guard lstat(file, &status) != 0 else { throw refusal("it exists; choose another name") }
    let pool = try ConnectionPool(path: database, access: .readOnly, readers: 1)
    defer { pool.close() }
    let draft = "\(file).\(getpid()).partial"
    let removal = Interruption(removing: draft)
    defer { removal.end() }
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw refusal(String(cString: strerror(errno))) }
    close(descriptor)
    try pool.withReader { source in
      try source.backUp(to: Connection(path: draft, access: .readWrite))
    }
    // Unlike a renaming, this fails if there is a file of that name by now.
    guard link(draft, file) == 0 else { throw refusal(String(cString: strerror(errno))) }
  }

  /// Removes a file at the end, or when a signal ends the process before.
  private final class Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let path: String
    private let sources: [any DispatchSourceSignal]

    init(removing path: String) {
      self.path = path
      sources = Self.signals.map { number in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
          unlink(path)
          _exit(128 + number)
        }
        source.activate()
        signal(number, SIG_IGN)
        return source
      }
    }

    func end() {
      unlink(path)
      for number in Self.signals { signal(number, SIG_DFL) }
      for source in sources { source.cancel() }
    }
  }
}
