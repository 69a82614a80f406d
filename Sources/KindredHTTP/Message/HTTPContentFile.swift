import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Content that is too long for memory, in a temporary file without a name.
///
/// That of a request arrives at the pace of its client, and is read at the pace of the disk.
public final class HTTPContentFile: Sendable {
  private let descriptor: CInt
  private let length = Atomic(0)
  private let furthest = Atomic(0)

  /// An empty file in a directory for temporary files: that of `TMPDIR`, else `/var/tmp` or `/tmp`.
  ///
  /// Nil where none of them can be written to.
  package init?() {
    let named = getenv("TMPDIR").map { [String(cString: $0)] } ?? []
    for directory in named + ["/var/tmp", "/tmp"] {
      var path = Array("\(directory)/kindred-XXXXXX".utf8CString)
      let descriptor = path.withUnsafeMutableBufferPointer { path in
        path.baseAddress.map { mkstemp($0) } ?? -1
      }
      guard descriptor >= 0 else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      // Without a name it goes with its last descriptor, whatever becomes of the process.
      path.withUnsafeBufferPointer { path in _ = path.baseAddress.map { unlink($0) } }
      self.descriptor = descriptor
      return
    }
    return nil
  }

  /// A file that is open for reading; it is closed with this object.
  ///
  /// - Parameter length: the number of bytes, where it is known.
  public init(descriptor: CInt, length: Int) {
    self.descriptor = descriptor
    self.length.store(length, ordering: .relaxed)
  }

  deinit { close(descriptor) }

  /// The number of bytes.
  public var count: Int { length.load(ordering: .relaxed) }

  /// The number of bytes that have been read, from any place up to the furthest one.
  public var readCount: Int { furthest.load(ordering: .relaxed) }

  /// Reads the bytes from `offset` on into `memory`; says how many there were: 0 at the end, nil where reading fails.
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

  /// Adds bytes at the end; false where there is no room for them.
  func append(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(append) }

  /// Adds bytes at the end; false where there is no room for them.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
