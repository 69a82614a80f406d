import KindredHTTP
import KindredSpooling

/// The part of a result that was read ahead of its client, in a temporary file.
final class ResultSpool {
  /// Thrown if the temporary file can't be created or read.
  struct Unavailable: Error {}

  private static let partLength = 128 << 10

  private let file: HTTPContentFile
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: partLength, alignment: 16)
  private var position = 0

  /// - Throws: `Unavailable`
  init(in budget: SpoolBudget, for client: ClientAddress?) throws {
    guard let file = HTTPContentFile(in: budget, for: client) else { throw Unavailable() }
    self.file = file
  }

  deinit { memory.deallocate() }

  /// Appends bytes; returns false if there is no room for them.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool { file.append(bytes) }

  /// Returns the next part, valid until the next call; nil at the end.
  ///
  /// - Throws: `Unavailable` if the file can't be read.
  func next() throws -> UnsafeRawBufferPointer? {
    let room = min(memory.count, file.count - position)
    guard room > 0 else { return nil }
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[..<room])
    guard let count = file.read(into: part, from: position), count > 0 else { throw Unavailable() }
    position += count
    return UnsafeRawBufferPointer(rebasing: part[..<count])
  }
}
