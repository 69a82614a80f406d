import CKindredSQLite

/// A connection's file, which is read without SQLite's pager.
struct MainFile {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// The size of the regions in which SQLite maps the WAL index.
  private static let regionLength: Int32 = 32768

  init?(of connection: Connection) {
    guard let file = Self.file(SQLITE_FCNTL_FILE_POINTER, of: connection), let methods = file.pointee.pMethods
    else { return nil }
    self.file = file
    self.methods = methods.pointee
  }

  private static func file(
    _ pointer: Int32, of connection: Connection
  ) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    return sqlite3_file_control(connection.handle, "main", pointer, &file) == SQLITE_OK ? file : nil
  }

  /// Returns whether a connection that can't write is in WAL mode; valid in a read transaction.
  ///
  /// It has the WAL file open, but never a rollback journal.
  static func isInWALMode(_ connection: Connection) -> Bool {
    file(SQLITE_FCNTL_JOURNAL_POINTER, of: connection)?.pointee.pMethods != nil
  }

  /// Whether a connection has begun to write, in a rollback-journal mode.
  var isReserved: Bool {
    guard let check = methods.xCheckReservedLock else { return false }
    var isReserved: Int32 = 0
    return check(file, &isReserved) == SQLITE_OK && isReserved != 0
  }

  /// Bytes 16 to 31 of the file.
  var header: SIMD16<UInt8>? {
    guard let read = methods.xRead else { return nil }
    var header = SIMD16<UInt8>.zero
    let code = withUnsafeMutableBytes(of: &header) { read(file, $0.baseAddress, Int32($0.count), 16) }
    return code == SQLITE_OK ? header : nil
  }

  /// The WAL index in shared memory, which stays there as long as the connection is open; nil if it can't be read.
  ///
  /// Only in WAL mode: otherwise SQLite would create its file.
  var index: UnsafeRawPointer? {
    guard methods.iVersion >= 2, let map = methods.xShmMap else { return nil }
    var memory: UnsafeMutableRawPointer?
    guard map(file, 0, Self.regionLength, 0, &memory) == SQLITE_OK else { return nil }
    return UnsafeRawPointer(memory)
  }
}
