import Foundation
import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

/// Databases that can't be written, because the medium is mounted read-only or the directory belongs to another
/// user.
@Suite("Read-only media")
struct ReadOnlyMediumTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// A database in WAL mode whose connections are all closed.
  func walDatabase() throws -> String {
    let path = try directory.database(
      "PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    #expect(try directory.fileNames == ["library.sqlite"])
    return path
  }

  /// Opens a pool for reading and reads from it.
  func read(_ path: String) throws -> Connection.Access {
    let pool = try ConnectionPool(path: path, access: .readOnly, readers: 2)
    #expect(try pool.withReader { try $0.rows("SELECT x FROM t") } == [[.integer(1)]])
    return pool.readerAccess
  }

  @Test(arguments: Restriction.possible)
  func `a rollback-journal database is read as any other`(restriction: Restriction) throws {
    let path = try directory.database("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    #expect(try restriction.apply(to: directory.path) { try read(path) } == .readOnly)
  }

  @Test(arguments: Restriction.possible)
  func `a WAL database is served as immutable`(restriction: Restriction) throws {
    let path = try walDatabase()
    #expect(try restriction.apply(to: directory.path) { try read(path) } == .immutable)
  }

  @Test
  func `a WAL database in a directory that can be written to is never served as immutable`() throws {
    #expect(try read(walDatabase()) == .readOnly)
  }

  @Test(arguments: Restriction.possible)
  func `a WAL database that another process has open is read with its WAL file`(restriction: Restriction)
    throws
  {
    let path = try walDatabase()
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute("UPDATE t SET x = 2; UPDATE t SET x = 1")
    #expect(try restriction.apply(to: directory.path) { try read(path) } == .readOnly)
    _ = consume writer
  }

  @Test(arguments: Restriction.possible)
  func `a WAL file that would be overlooked is an error`(restriction: Restriction) throws {
    let path = try walDatabase()
    let copy = directory.path("copy.sqlite")
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute("UPDATE t SET x = 2")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    #expect { try restriction.apply(to: directory.path) { try read(copy) } } throws: {
      ($0 as? OpenError)?.reason == .needsRecovery
    }
    _ = consume writer
  }

  @Test(arguments: Restriction.possible)
  func `a hot journal is an error that says how to fix it`(restriction: Restriction) throws {
    let path = try directory.database("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    let copy = directory.path("copy.sqlite")
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE t SET x = zeroblob(100000)")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    writer.rollback()
    #expect { try restriction.apply(to: directory.path) { try read(copy) } } throws: {
      ($0 as? OpenError)?.reason == .needsRecovery
    }
  }

  @Test(arguments: Restriction.possible)
  func `writing is refused when the database is opened`(restriction: Restriction) throws {
    let path = try directory.database()
    #expect {
      try restriction.apply(to: directory.path) {
        try ConnectionPool(path: path, access: .readWrite, readers: 1)
      }
    } throws: { ($0 as? OpenError)?.reason == .notWritable }
  }

  @Test(.enabled(if: Restriction.otherUser.isPossible))
  func `a file that may not be read`() throws {
    let path = try directory.database()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect { try Restriction.otherUser.apply(to: directory.path) { try read(path) } } throws: {
      ($0 as? OpenError)?.reason == .unreadable
    }
  }

  @Test(.enabled(if: Restriction.otherUser.isPossible))
  func `a directory that may not be searched`() throws {
    let path = try directory.database()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
    #expect { try Restriction.otherUser.apply(to: directory.path) { try read(path) } } throws: {
      ($0 as? OpenError)?.reason == .unreadable
    }
  }
}
