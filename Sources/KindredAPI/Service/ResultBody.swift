import KindredExecution
import KindredHTTP

/// A result that is sent as it is read.
final class ResultBody: HTTPBodyStream {
  private let reading: Reading
  private let reader: ResultReader
  /// What was read before the head could be written.
  private var first: UnsafeRawBufferPointer?
  private var hash: ContentHash
  private let atEnd: (ContentHash.Digest) -> Void

  /// - Parameters:
  ///   - hash: that of `first`, which is to be sent yet, and of what tells about the content.
  ///   - atEnd: is given the hash of all once it has been read.
  init(
    _ reading: Reading, _ reader: ResultReader, first: UnsafeRawBufferPointer?, hash: ContentHash,
    atEnd: @escaping (ContentHash.Digest) -> Void
  ) {
    self.reading = reading
    self.reader = reader
    self.first = first
    self.hash = hash
    self.atEnd = atEnd
    reading.pause()
  }

  func next() throws -> UnsafeRawBufferPointer? {
    if let first {
      self.first = nil
      return first
    }
    reading.resume()
    defer { reading.pause() }
    let part = try reader.next()
    if let part {
      hash.update(part)
    } else {
      atEnd(hash.finish())
    }
    return part
  }

  func close() {
    reader.close()
    reading.close()
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
