import KindredSQLite
import TestSupport
import Testing

@Suite("What a file says of its state")
struct FileStateTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let writer: Connection
  private let watcher: Connection

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.database("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    var configuration = ConnectionConfiguration()
    // A connection that can't lock the file fails at once.
    configuration.busyTimeout = 0
    writer = try Connection(path: path, access: .readWrite, configuration: configuration)
    watcher = try Connection(path: path, access: .readOnly, configuration: configuration)
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
  func `it changes with each commit, and only then`(mode: String) throws {
    try writer.execute("PRAGMA journal_mode = \(mode)")
    _ = try watcher.dataVersion
    let state = try #require(FileState(of: watcher))
    for harmless in [
      "SELECT * FROM t", "BEGIN; INSERT INTO t VALUES (2); ROLLBACK", "BEGIN; SELECT * FROM t; COMMIT",
    ] {
      try writer.execute(harmless)
      #expect(state.holds(for: watcher), "\(harmless)")
    }
    for change in [
      "INSERT INTO t VALUES (2)", "CREATE TABLE u(x)", "UPDATE t SET x = 3", "PRAGMA user_version = 4",
    ] {
      _ = try watcher.dataVersion
      let state = try #require(FileState(of: watcher))
      try writer.execute(change)
      #expect(!state.holds(for: watcher), "\(change)")
    }
  }

  @Test
  func `a transaction that is under way is no commit yet`() throws {
    try writer.execute("PRAGMA journal_mode = WAL")
    _ = try watcher.dataVersion
    let state = try #require(FileState(of: watcher))
    // More than the page cache holds, so that pages are written to the WAL before the commit.
    try writer.execute("PRAGMA cache_size = 2; BEGIN; INSERT INTO t SELECT randomblob(4000) FROM t, t, t, t")
    try writer.execute(
      "INSERT INTO t SELECT x FROM t; INSERT INTO t SELECT x FROM t; INSERT INTO t SELECT x FROM t")
    #expect(state.holds(for: watcher))
    try writer.execute("COMMIT")
    #expect(!state.holds(for: watcher))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whatever others do, where it is unchanged the data version is too`(seed: UInt64) throws {
    var numbers = seed
    func next(_ bound: UInt64) -> UInt64 {
      numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (numbers >> 33) % bound
    }
    let actions = [
      "INSERT INTO t VALUES (random())", "DELETE FROM t WHERE x % 3 = 0", "BEGIN", "COMMIT", "ROLLBACK",
      "PRAGMA journal_mode = WAL", "PRAGMA journal_mode = DELETE", "PRAGMA wal_checkpoint(TRUNCATE)",
      "PRAGMA wal_checkpoint(PASSIVE)", "VACUUM", "SELECT count(*) FROM t", "CREATE TABLE IF NOT EXISTS u(x)",
      "DROP TABLE IF EXISTS u", "PRAGMA user_version = 3", "PRAGMA locking_mode = EXCLUSIVE",
      "PRAGMA locking_mode = NORMAL",
    ]
    var known: (state: FileState, version: Int64)?
    var unchanged = 0
    for _ in 0..<400 {
      let action = actions[Int(next(UInt64(actions.count)))]
      // Some operations fail while the file is locked.
      try? writer.execute(action)
      if next(3) == 0 { _ = try? watcher.rows("SELECT count(*) FROM t") }
      if let known, known.state.holds(for: watcher) {
        unchanged += 1
        // While a process holds the file exclusively, the version is unknown, but no process can read anything newer
        // either.
        if let version = try? watcher.dataVersion { #expect(version == known.version, "\(action)") }
      }
      known = nil
      if let version = try? watcher.dataVersion, let state = FileState(of: watcher),
        (try? watcher.dataVersion) == version
      {
        known = (state, version)
      }
    }
    #expect(unchanged > 0)
  }
}
