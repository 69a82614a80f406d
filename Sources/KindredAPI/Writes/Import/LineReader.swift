import KindredHTTP
import KindredRequests

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
