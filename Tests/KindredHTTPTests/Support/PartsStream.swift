import KindredHTTP

/// A stream of given parts that counts its calls.
final class PartsStream: HTTPBodyStream {
  struct Failure: Error {}

  private(set) var nextCount = 0
  private(set) var closeCount = 0
  private let parts: [UnsafeMutableRawBufferPointer]
  private let fails: Bool

  init(_ parts: [String], fails: Bool = false) {
    self.parts = parts.map { part in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: part.utf8.count, alignment: 1)
      memory.copyBytes(from: part.utf8)
      return memory
    }
    self.fails = fails
  }

  deinit { for part in parts { part.deallocate() } }

  func next() throws -> UnsafeRawBufferPointer? {
    nextCount += 1
    guard nextCount > parts.count else { return UnsafeRawBufferPointer(parts[nextCount - 1]) }
    if fails { throw Failure() }
    return nil
  }

  func close() { closeCount += 1 }
}
