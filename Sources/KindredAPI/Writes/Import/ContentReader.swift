import KindredHTTP
import KindredRequests
import KindredSpooling

/// Reads the content of a request in parts, from memory or from a file.
struct ContentReader: ~Copyable {
  private let body: [UInt8]
  private let file: ContentFile?
  private let memory: UnsafeMutableRawBufferPointer
  private var offset = 0

  /// The largest length in bytes of a line of JSON or a record of CSV.
  static let maximumRecordLength = 4 << 20
  private static let partLength = 1 << 16

  init(_ request: HTTPRequest) {
    body = request.body
    file = request.longBody
    memory = .allocate(byteCount: Self.partLength, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Returns the next bytes, valid until the next call; empty at the end.
  ///
  /// - Throws: `Problem` (503) if the file can't be read.
  mutating func next() throws -> UnsafeRawBufferPointer {
    let count: Int
    if let file {
      guard let read = file.read(into: memory, from: offset) else { throw Problem.unavailable }
      count = read
    } else {
      let part = body[offset...].prefix(memory.count)
      memory.copyBytes(from: part)
      count = part.count
    }
    offset += count
    return UnsafeRawBufferPointer(rebasing: memory[..<count])
  }
}
