import KindredHTTP
import KindredRequests
import KindredSpooling

/// Reads the lines of content.
struct LineReader: ~Copyable {
  private var content: ContentReader
  private var part = UnsafeRawBufferPointer(start: nil, count: 0)
  private var place = 0
  /// The number of the current line, from 1.
  private(set) var line = 0
  /// The current line, without its line break.
  private(set) var bytes: [UInt8] = []

  init(_ request: HTTPRequest) {
    content = ContentReader(request)
  }

  /// Reads the next line that isn't blank; returns false at the end.
  ///
  /// - Throws: `Problem` if a line is too long or the content can't be read.
  mutating func next() throws -> Bool {
    repeat {
      guard try nextLine() else { return false }
    } while bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    return true
  }

  private mutating func nextLine() throws -> Bool {
    bytes.removeAll(keepingCapacity: true)
    line += 1
    while true {
      if place == part.count {
        part = try content.next()
        place = 0
        if part.isEmpty { return !bytes.isEmpty }
      }
      let rest = UnsafeRawBufferPointer(rebasing: part[place...])
      let end = rest.firstIndex(of: 0x0A)
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)]))
      place += end.map { $0 + 1 } ?? rest.count
      guard bytes.count <= ContentReader.maximumRecordLength else { throw Problem.longRecord(line) }
      guard end != nil else { continue }
      if bytes.last == 0x0D { bytes.removeLast() }
      return true
    }
  }
}

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
