import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput

/// A result that is sent as it is read.
///
/// It holds a reading connection as long as its client keeps up. Where others wait for one, it reads on into a file and
/// releases the connection.
final class ResultBody: HTTPBodyStream {
  /// The client was too slow, and others waited.
  struct SlowClient: Error {}

  private let reading: any ReadTransaction
  private let reader: any ResultSource
  private let queue: ReaderQueue
  private let held = HeldReader()
  private var isOpen = true
  /// What was read before the client was ready for it.
  private var spool: ResultSpool?
  /// What follows the spool, as long as nothing more is read.
  private var following: UnsafeRawBufferPointer?

  init(_ reading: any ReadTransaction, _ reader: any ResultSource, queue: ReaderQueue) {
    self.reading = reading
    self.reader = reader
    self.queue = queue
    reading.pause()
    held.idleSince = MonotonicTime.now()
    queue.hold(held)
  }

  func onReady(_ wake: @escaping @Sendable () -> Void) { held.onReady(wake) }

  func next() throws -> UnsafeRawBufferPointer? {
    if let part = try spool?.next() { return part }
    spool = nil
    if let part = following {
      following = nil
      return part
    }
    guard isOpen else { return nil }
    return try read {
      held.ask(.none)
      return try reader.next()
    }
  }

  func yield() throws {
    guard isOpen else { return }
    switch held.demand {
    case .none, .unable: break
    case .release: try read { try readOn() }
    case .end: throw SlowClient()
    }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    queue.release(held)
    reader.close()
    reading.close()
  }

  /// Reads what is left, as far as there is room for it.
  private func readOn() throws {
    // Without room, the client is waited for as before.
    held.ask(.unable)
    guard following == nil, let spool = try? spool ?? ResultSpool() else { return }
    self.spool = spool
    while let part = try reader.next() {
      guard spool.append(part) else {
        following = part
        return
      }
    }
    close()
  }

  /// Runs `body` in the time that the statements may take.
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

/// Content between two texts.
final class FramedBody: HTTPBodyStream {
  private enum State {
    case beforeHead, inContent, atEnd
  }

  private let head: [UInt8]
  private let content: any HTTPBodyStream
  private let tail: [UInt8]
  private var state = State.beforeHead
  private var memory: UnsafeMutableRawBufferPointer?

  init(_ head: [UInt8], _ content: any HTTPBodyStream, _ tail: [UInt8]) {
    self.head = head
    self.content = content
    self.tail = tail
  }

  deinit { memory?.deallocate() }

  var isLive: Bool { content.isLive }

  func onReady(_ wake: @escaping @Sendable () -> Void) { content.onReady(wake) }

  func yield() throws { try content.yield() }

  func next() throws -> UnsafeRawBufferPointer? {
    switch state {
    case .beforeHead:
      state = .inContent
      return part(head)
    case .inContent:
      if let part = try content.next() { return part }
      state = .atEnd
      return part(tail)
    case .atEnd:
      return nil
    }
  }

  func close() { content.close() }

  /// Bytes in memory that stays where it is until the next call.
  private func part(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    memory?.deallocate()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    self.memory = memory
    return UnsafeRawBufferPointer(memory)
  }
}

/// A result that was read to its end, sent from where it was written.
final class WholeBody: HTTPBodyStream {
  private let part: ResultPart
  private var isSent = false

  init(_ part: ResultPart) { self.part = part }

  func next() -> UnsafeRawBufferPointer? {
    defer { isSent = true }
    return isSent ? nil : part.bytes
  }

  func close() {}
}
