import CKindredSQLite

/// What a database file says of its state without a lock: as long as it says the same, nobody has committed.
///
/// In the rollback modes each commit changes a counter in the file's header
/// (<https://www.sqlite.org/fileformat2.html#file_change_counter>), in WAL mode the header of the WAL's index, which is
/// in shared memory (<https://www.sqlite.org/walformat.html#the_wal_index_header>).
public struct FileState: Sendable {
  /// Bytes 16 to 31 of the file: page size, format versions, change counter, size.
  private let header: SIMD16<UInt8>
  /// The 48 bytes of the index's header, in WAL mode.
  private let index: SIMD64<UInt8>

  private static let indexLength = 48
  /// The regions in which SQLite maps the index.
  private static let regionLength: Int32 = 32768

  /// Reads what the file of a connection says.
  ///
  /// The connection must have read the database in the mode in which it is now. Nil where the file can't be read.
  fileprivate init?(_ file: MainFile) {
    guard let header = file.header else { return nil }
    self.header = header
    guard Self.isWAL(header) else {
      index = .zero
      return
    }
    guard let index = file.index else { return nil }
    self.index = index
  }

  /// Whether the file still says so; false where it can't be told.
  fileprivate func holds(for file: MainFile) -> Bool {
    guard let header = file.header, header == self.header else { return false }
    return !Self.isWAL(header) || file.index == index
  }

  private static func isWAL(_ header: SIMD16<UInt8>) -> Bool { header[2] == 2 }

  /// A connection's file, read past the pager.
  fileprivate struct MainFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    init?(of connection: Connection) {
      var file: UnsafeMutablePointer<sqlite3_file>?
      guard sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
        let file, let methods = file.pointee.pMethods
      else { return nil }
      self.file = file
      self.methods = methods.pointee
    }

    var header: SIMD16<UInt8>? {
      guard let read = methods.xRead else { return nil }
      var header = SIMD16<UInt8>.zero
      let code = withUnsafeMutableBytes(of: &header) { read(file, $0.baseAddress, Int32($0.count), 16) }
      return code == SQLITE_OK ? header : nil
    }

    var index: SIMD64<UInt8>? {
      guard methods.iVersion >= 2, let map = methods.xShmMap else { return nil }
      var memory: UnsafeMutableRawPointer?
      guard map(file, 0, FileState.regionLength, 0, &memory) == SQLITE_OK, let memory else { return nil }
      var index = SIMD64<UInt8>.zero
      withUnsafeMutableBytes(of: &index) {
        $0.copyMemory(from: UnsafeRawBufferPointer(start: memory, count: FileState.indexLength))
      }
      return index
    }
  }
}

extension Connection {
  /// What the file says now; nil where it can't be read.
  ///
  /// To be asked after something was read in the mode in which the database is, such as ``dataVersion``.
  public var fileState: FileState? { FileState.MainFile(of: self).flatMap(FileState.init) }

  /// Whether the file says the same as then: cheaper than ``dataVersion``, which takes locks.
  public func isUnchanged(since state: FileState) -> Bool {
    FileState.MainFile(of: self).map(state.holds) ?? false
  }
}
