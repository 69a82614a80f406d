import CKindredSQLite
import KindredBackend
import KindredSQLite

/// Whether the file or its disk refused the last write, until one succeeds or is expected to.
struct FailedWrite {
  private var error: (any BackendError)?
  /// How many bytes were free when the disk was full, before the write was undone; nil for another failure.
  private var freeSpace: UInt64?
  /// Whether something could be written although little space was free.
  private var fits = false
  /// Whether a write to learn whether the file can be written again is under way.
  private var isTried = false

  /// How many more bytes must be free than when the disk was full, so that writes are expected to succeed again.
  private static let leastSpace: UInt64 = 1 << 20
  /// The space in bytes that a small write needs in the WAL file.
  private static let smallWrite: UInt64 = 64 << 10

  /// Notes the result of a write.
  mutating func note<Value>(_ result: Result<Value, any Error>) {
    isTried = false
    switch result {
    case .success:
      fits = fits || freeSpace != nil
      (error, freeSpace) = (nil, nil)
    case .failure(let failure as DatabaseError) where failure.isOfFile:
      if freeSpace == nil { error = failure }
    case .failure: break
    }
  }

  /// Notes that the disk was full.
  mutating func note(full error: any BackendError, _ freeSpace: UInt64) {
    (self.error, self.freeSpace, fits) = (error, min(self.freeSpace ?? .max, freeSpace), false)
  }

  /// Returns why the next write is expected to fail; nil if it isn't.
  mutating func failure(withFree free: UInt64, at path: String) -> (any Error)? {
    if free >= Self.smallWrite { fits = false }
    if let error {
      // As long as no space becomes free, the next write fails too.
      guard let freeSpace else { return error }
      return free < freeSpace + Self.leastSpace ? error : nil
    }
    guard !fits, free < Self.smallWrite else { return nil }
    return DatabaseError.full("only \(free) bytes are free in the file system of \(path)")
  }

  /// Returns whether a write should be tried, since clients may send none as long as the server isn't ready.
  mutating func triesAgain() -> Bool {
    guard error != nil, freeSpace == nil, !isTried else { return false }
    isTried = true
    return true
  }
}

extension DatabaseError {
  /// Whether the file can't be written, regardless of the statement (<https://www.sqlite.org/rescode.html>).
  fileprivate var isOfFile: Bool {
    [SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_NOTADB].contains(code)
  }
}
