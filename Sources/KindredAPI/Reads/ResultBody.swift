import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput

/// A result that is read while it is sent.
///
/// It holds a reading connection while its client keeps up. If other requests wait for one, it reads the rest into a
/// file and releases the connection.
final class ResultBody: HTTPBodyStream {
  /// Thrown if the client was too slow while other requests waited.
  struct SlowClient: Error {}

  private let reading: any ReadTransaction
  private let reader: any ResultSource
  private let queue: ReaderQueue
  private let held = HeldReader()
  private var isOpen = true
  /// The part of the result that was read ahead of the client.
  private var spool: ResultSpool?
  /// The part after the spool, valid until the next read.
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

  /// Reads the rest, as far as there is room for it.
  private func readOn() throws {
    // Without room, go on waiting for the client.
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

/// A complete result, sent from the memory that it was written to.
final class WholeBody: HTTPBodyStream {
  /// The parts that haven't been sent, the next one last, after the one that is being sent.
  private var parts: [ResultPart]
  private var sent: ResultPart?

  init(_ parts: [ResultPart]) { self.parts = parts.reversed() }

  func next() -> UnsafeRawBufferPointer? {
    sent = parts.popLast()
    return sent?.bytes
  }

  func close() {}
}
