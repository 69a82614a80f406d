import KindredAssociations
import KindredHTTP

/// Reads the content of a request in parts, from memory or from a file.
struct ContentReader: ~Copyable {
  private let body: [UInt8]
  private let file: HTTPContentFile?
  private let memory: UnsafeMutableRawBufferPointer
  private var offset = 0
  /// What has been read and not been taken.
  private var start = 0
  private var end = 0

  /// A line of JSON, or a record of CSV, is at most so many bytes long.
  static let maximumRecordLength = 4 << 20
  private static let partLength = 1 << 16

  init(_ request: HTTPRequest) {
    body = request.body
    file = request.longBody
    memory = .allocate(byteCount: Self.partLength, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// The next bytes, valid until the next call; none at the end.
  ///
  /// - Throws: `Problem` (503) where the file can't be read.
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
