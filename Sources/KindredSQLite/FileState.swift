import CKindredSQLite

/// A fingerprint of a database file that is read without a lock; as long as it is the same, nothing has been
/// committed.
///
/// In rollback-journal modes each commit changes a counter in the file's header
/// (<https://www.sqlite.org/fileformat2.html#file_change_counter>). In WAL mode it changes the header of the WAL
/// index, which is in shared memory (<https://www.sqlite.org/walformat.html#the_wal_index_header>).
public struct FileState: Sendable {
  /// Bytes 16 to 31 of the file: page size, format versions, change counter, size.
  private let header: SIMD16<UInt8>
  /// The 48 bytes of the WAL index's header; zero in other modes.
  private let index: SIMD64<UInt8>

  private static let indexLength = 48
  /// The size of the regions in which SQLite maps the WAL index.
  private static let regionLength: Int32 = 32768

  /// Reads the state of a connection's file; nil if it can't be read.
  ///
  /// The connection must have read something, such as its ``Connection/dataVersion``, in the current journal mode.
  public init?(of connection: Connection) {
    guard let file = MainFile(of: connection), let header = file.header else { return nil }
    self.header = header
    guard Self.isWAL(header) else {
      index = .zero
      return
    }
    guard let index = file.index else { return nil }
    self.index = index
  }

  /// Returns whether a connection's file still has this state; false if it can't be read.
  ///
  /// This is cheaper than ``Connection/dataVersion``, which takes locks.
  public func holds(for connection: Connection) -> Bool {
    guard let file = MainFile(of: connection), let header = file.header, header == self.header else {
      return false
    }
    return !Self.isWAL(header) || file.index == index
  }

  /// Returns whether nothing was committed between this state and another one.
  func isSame(as other: FileState) -> Bool {
    let isWAL = Self.isWAL(header)
    // In WAL mode, the header only changes with checkpoints.
    return isWAL == Self.isWAL(other.header) && (isWAL ? index == other.index : header == other.header)
  }

  /// Returns whether the WAL file ends with the same frame; false in other modes.
  ///
  /// A connection that finds the WAL file beside another file makes its index anew, which keeps the number of frames, the
  /// size, the checksum and the salts: bytes 16 to 39.
  func hasSameLog(as other: FileState) -> Bool {
    guard Self.isWAL(header), Self.isWAL(other.header) else { return false }
    return withUnsafeBytes(of: index) { index in
      withUnsafeBytes(of: other.index) { index[16..<40].elementsEqual($0[16..<40]) }
    }
  }

  /// Returns whether exactly one commit led from another state to this one; each increments a counter.
  func isOneCommit(after other: FileState) -> Bool {
    Self.isWAL(header) == Self.isWAL(other.header) && commitCount == other.commitCount &+ 1
  }

  /// The counter of the index, in native byte order, or that of the header, which is big-endian.
  private var commitCount: UInt32 {
    Self.isWAL(header)
      ? withUnsafeBytes(of: index) { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
      : withUnsafeBytes(of: header) {
        UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      }
  }

  private static func isWAL(_ header: SIMD16<UInt8>) -> Bool { header[2] == 2 }

  /// Returns whether another connection has begun to write in a rollback-journal mode, in which it can't commit before
  /// all read transactions have ended (<https://www.sqlite.org/lockingv3.html#reserved_lock>).
  public static func isReserved(for connection: Connection) -> Bool {
    MainFile(of: connection)?.isReserved ?? false
  }

  /// A connection's file, which is read without SQLite's pager.
  private struct MainFile {
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

    /// Whether a connection has begun to write, in a rollback-journal mode.
    var isReserved: Bool {
      guard let check = methods.xCheckReservedLock else { return false }
      var isReserved: Int32 = 0
      return check(file, &isReserved) == SQLITE_OK && isReserved != 0
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
