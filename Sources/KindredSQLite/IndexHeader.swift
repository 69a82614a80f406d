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
