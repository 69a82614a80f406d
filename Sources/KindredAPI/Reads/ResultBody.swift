import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput
import KindredRequests
import KindredSpooling

/// A result that is read while it is sent.
///
/// It holds a snapshot as long as that is allowed, and then reads the rest into a temporary file.
final class ResultBody: HTTPBodyStream {
  /// Thrown if the snapshot can't be held any longer, and there is no room for the rest of the result.
  struct SlowClient: Error {}

  private let reading: any ReadTransaction
  private let reader: any ResultSource
  private let snapshots: HeldSnapshots
  private let held: HeldSnapshot
  private let spools: ByteBudget
  private let client: ClientAddress?
  private var isOpen = true
  /// The rest of the result, once it was read ahead of the client.
  private var spool: ResultSpool?

  /// - Parameters:
  ///   - stateNumber: The number of the state that `reading` sees, or of an earlier one; nil if it is unknown.
  ///   - client: The client for which the temporary file counts.
  init(
    _ reading: any ReadTransaction, at stateNumber: Int64?, _ reader: any ResultSource,
    among snapshots: HeldSnapshots, in spools: ByteBudget, for client: ClientAddress?
  ) {
    self.reading = reading
    self.reader = reader
    self.snapshots = snapshots
    self.spools = spools
    self.client = client
    held = HeldSnapshot(of: stateNumber)
    reading.pause()
    held.idleSince = MonotonicTime.now()
    snapshots.hold(held)
  }

  func onReady(_ wake: @escaping @Sendable () -> Void) { held.onReady(wake) }

  var mayWait: Bool { isOpen && reader.mayWait }

  func next() throws -> UnsafeRawBufferPointer? {
    try yield()
    if let spool { return try spool.next() }
    return isOpen ? try read { try reader.next() } : nil
  }

  func yield() throws {
    if isOpen, held.mustRelease { try read { try readOn() } }
  }

  func close() {
    release()
    spool = nil
  }

  private func release() {
    guard isOpen else { return }
    isOpen = false
    snapshots.remove(held)
    reader.close()
    reading.close()
  }

  /// Reads the rest, and releases the snapshot.
  private func readOn() throws {
    let spool = try ResultSpool(in: spools, for: client)
    while let part = try reader.next() {
      guard spool.append(part) else { throw SlowClient() }
    }
    self.spool = spool
    release()
  }

  /// Runs `body` while the query time is counted.
  private func read<Result>(_ body: () throws -> Result) throws -> Result {
    held.idleSince = 0
    reading.resume()
    defer {
      if isOpen {
        reading.pause()
        held.idleSince = MonotonicTime.now()
      }
    }
    return try body()
  }
}

/// A stream whose beginning has been read, between a head and a tail.
final class FramedBody: HTTPBodyStream {
  private enum State {
    case beforeHead, inBeginning, inContent, atEnd
  }

  private let head: [UInt8]
  private let beginning: WholeBody
  private let content: any HTTPBodyStream
  private let tail: [UInt8]
  private var state = State.beforeHead
  private var memory: UnsafeMutableRawBufferPointer?

  init(_ head: [UInt8], _ beginning: [ResultPart], _ content: any HTTPBodyStream, _ tail: [UInt8]) {
    self.head = head
    self.beginning = WholeBody(beginning)
    self.content = content
    self.tail = tail
  }

  deinit { memory?.deallocate() }

  var isLive: Bool { content.isLive }

  func onReady(_ wake: @escaping @Sendable () -> Void) { content.onReady(wake) }

  func yield() throws { try content.yield() }

  var mayWait: Bool { (state == .inContent || beginning.isAtEnd && state == .inBeginning) && content.mayWait }

  func next() throws -> UnsafeRawBufferPointer? {
    switch state {
    case .beforeHead:
      state = .inBeginning
      return part(head)
    case .inBeginning:
      if let part = beginning.next() { return part }
      state = .inContent
      return try next()
    case .inContent:
      if let part = try content.next() { return part }
      state = .atEnd
      return part(tail)
    case .atEnd:
      return nil
    }
  }

  func close() { content.close() }

  /// Returns a copy of the bytes in memory that stays valid until the next call.
  private func part(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    memory?.deallocate()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    self.memory = memory
    return UnsafeRawBufferPointer(memory)
  }
}

/// The part of a result that was read ahead of its client, in a temporary file.
private final class ResultSpool {
  /// Thrown if the temporary file can't be created or read.
  struct Unavailable: Error {}

  private static let partLength = 128 << 10

  private let file: ContentFile
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: partLength, alignment: 16)
  private var position = 0

  /// - Throws: `Unavailable`
  init(in budget: ByteBudget, for client: ClientAddress?) throws {
    guard let file = ContentFile(in: budget, for: client) else { throw Unavailable() }
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
