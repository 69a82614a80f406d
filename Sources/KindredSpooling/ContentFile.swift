import CKindredSockets
import KindredSystem
import Synchronization

/// Content that is too long for memory, in an unnamed temporary file.
///
/// The content of a request arrives at the client's pace and is then read at the disk's.
public final class ContentFile: Sendable {
  private let descriptor: CInt
  private let length = Atomic(0)
  private let furthest = Atomic(0)
  /// The bytes of a temporary file; nil for any other.
  private let taken: TakenBytes?

  /// Creates an empty file in the first directory that allows it: that of `TMPDIR`, `/var/tmp` or `/tmp`.
  ///
  /// Returns nil if none does.
  ///
  /// - Parameter client: The client that the bytes are for; nil for a request that comes from no connection.
  package init?(in budget: ByteBudget, for client: (any Hashable & Sendable)?) {
    taken = TakenBytes(of: budget, for: client)
    let named = getenv("TMPDIR").map { [String(cString: $0)] } ?? []
    for directory in named + ["/var/tmp", "/tmp"] {
      var path = Array("\(directory)/kindred-XXXXXX".utf8CString)
      let descriptor = path.withUnsafeMutableBufferPointer { path in
        path.baseAddress.map { kindred_temporary_file($0) } ?? -1
      }
      guard descriptor >= 0 else { continue }
      // An unlinked file is freed with its last descriptor, however the process ends.
      path.withUnsafeBufferPointer { path in _ = path.baseAddress.map { unlink($0) } }
      self.descriptor = descriptor
      return
    }
    return nil
  }

  /// Takes ownership of a file that is open for reading; it is closed with this object.
  ///
  /// - Parameter length: The number of bytes; 0 if it isn't known.
  public init(descriptor: CInt, length: Int) {
    self.descriptor = descriptor
    taken = nil
    self.length.store(length, ordering: .relaxed)
  }

  deinit { close(descriptor) }

  /// The number of bytes.
  public var count: Int { length.load(ordering: .relaxed) }

  /// The end of the furthest read so far, in bytes from the beginning.
  public var readCount: Int { furthest.load(ordering: .relaxed) }

  /// Reads bytes from `offset` on into `memory` and returns their number: 0 at the end, nil on an error.
  public func read(into memory: UnsafeMutableRawBufferPointer, from offset: Int) -> Int? {
    while true {
      let count = pread(descriptor, memory.baseAddress, memory.count, off_t(offset))
      if count >= 0 {
        furthest.store(max(readCount, offset + count), ordering: .relaxed)
        return count
      }
      guard errno == EINTR else { return nil }
    }
  }

  /// Appends bytes; returns false if the budget or the disk has no room for them.
  package func append(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(append) }

  /// Appends bytes; returns false if the budget or the disk has no room for them.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let taken, !taken.take(bytes.count) { return false }
    var rest = bytes[...]
    while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let count = pwrite(descriptor, start, rest.count, off_t(self.count))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
      length.wrappingAdd(count, ordering: .relaxed)
    }
    return true
  }
}
