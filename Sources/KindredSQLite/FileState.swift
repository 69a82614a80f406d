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
  /// Nil in other modes.
  private let index: IndexHeader?

  /// Reads the state of a connection's file; nil if it can't be read.
  ///
  /// The connection must have read something, such as its ``Connection/dataVersion``, in the current journal mode.
  public init?(of connection: Connection) {
    guard let file = MainFile(of: connection), let header = file.header else { return nil }
    self.header = header
    guard Self.isWAL(header) else {
      index = nil
      return
    }
    guard let index = file.index else { return nil }
    self.index = IndexHeader(of: index)
  }

  /// Returns whether a connection's file still has this state; false if it can't be read.
  ///
  /// This is cheaper than ``Connection/dataVersion``, which takes locks.
  public func holds(for connection: Connection) -> Bool {
    guard let file = MainFile(of: connection), let header = file.header, header == self.header else {
      return false
    }
    return !Self.isWAL(header) || file.index.map(IndexHeader.init) == index
  }

  /// Returns whether nothing was committed between this state and another one.
  func isSame(as other: FileState) -> Bool {
    // In WAL mode, the header only changes with checkpoints.
    index == other.index && (index != nil || header == other.header)
  }

  /// Returns whether the WAL file ends with the same frame; false in other modes.
  ///
  /// A connection that finds the WAL file next to another database makes its index anew, which keeps the number of
  /// frames, the size, the checksum and the salts: bytes 16 to 39.
  func hasSameLog(as other: FileState) -> Bool {
    guard let index, let other = other.index else { return false }
    return index.hasSameLog(as: other)
  }

  /// Returns whether exactly one commit led from another state to this one; each increments a counter.
  func isOneCommit(after other: FileState) -> Bool {
    (index == nil) == (other.index == nil) && commitCount == other.commitCount &+ 1
  }

  /// The counter of the index, or that of the header, which is big-endian.
  private var commitCount: UInt32 {
    index?.commitCount
      ?? withUnsafeBytes(of: header) {
        UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      }
  }

  private static func isWAL(_ header: SIMD16<UInt8>) -> Bool { header[2] == 2 }

  /// Returns whether another connection has begun to write in a rollback-journal mode, in which it can't commit before
  /// all read transactions have ended (<https://www.sqlite.org/lockingv3.html#reserved_lock>).
  public static func isReserved(for connection: Connection) -> Bool {
    MainFile(of: connection)?.isReserved ?? false
  }
}

/// The header of the WAL index, which is in shared memory and changes with each commit
/// (<https://www.sqlite.org/walformat.html#the_wal_index_header>).
///
/// A header that is being changed while it is read differs from those before and after.
struct IndexHeader: Equatable {
  /// The first of the two copies, whose 48 bytes end with a checksum.
  private let parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  /// Reads the header at the start of the index.
  init(of index: UnsafeRawPointer) {
    let numbers = index.assumingMemoryBound(to: UInt64.self)
    parts = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
  }

  static func == (left: Self, right: Self) -> Bool { left.parts == right.parts }

  /// The number of commits, in native byte order.
  var commitCount: UInt32 {
    withUnsafeBytes(of: parts) { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
  }

  /// Returns whether the WAL file has the same number of frames, size, checksum and salts.
  func hasSameLog(as other: IndexHeader) -> Bool {
    withUnsafeBytes(of: parts) { bytes in
      withUnsafeBytes(of: other.parts) { bytes[16..<40].elementsEqual($0[16..<40]) }
    }
  }
}
