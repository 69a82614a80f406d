import KindredHTTP

/// A stream whose bytes are counted while it is sent.
final class ObservedBody: HTTPBodyStream {
  private let content: any HTTPBodyStream
  private var count = 0
  private let atEnd: (_ count: Int) -> Void

  /// - Parameter atEnd: Called with the number of bytes when the stream is closed.
  init(_ content: any HTTPBodyStream, atEnd: @escaping (_ count: Int) -> Void) {
    self.content = content
    self.atEnd = atEnd
  }

  var isLive: Bool { content.isLive }

  var mayWait: Bool { content.mayWait }

  func onReady(_ wake: @escaping @Sendable () -> Void) { content.onReady(wake) }

  func yield() throws { try content.yield() }

  func next() throws -> UnsafeRawBufferPointer? {
    let part = try content.next()
    count += part?.count ?? 0
    return part
  }

  var chunk: UnsafeRawBufferPointer? { content.chunk }

  func close() {
    content.close()
    atEnd(count)
  }
}
