import Kindred

/// The rows of an answer, as they arrive.
struct RemoteRows {
  /// The content; nil if the record with which the request begins isn't there.
  private let content: AsyncThrowingStream<[UInt8], any Error>?
  private let layout: RemoteRowLayout
  private let failures: DecodingFailures
  private var lines = LineBuffer()

  init(
    of content: AsyncThrowingStream<[UInt8], any Error>?, _ layout: RemoteRowLayout,
    _ failures: DecodingFailures
  ) {
    self.content = content
    self.layout = layout
    self.failures = failures
  }

  /// Returns the next row; nil after the last one.
  nonisolated(nonsending) mutating func next() async throws -> Row? {
    while true {
      // A part may have many thousand rows, and a stream whose task is cancelled ends like one that is complete.
      try Task.checkCancellation()
      if let line = try lines.next() {
        var parser = RowParser(line, failures)
        return try parser.row(layout)
      }
      var parts = content?.makeAsyncIterator()
      guard let part = try await parts?.next() else { break }
      lines.append(part)
    }
    try Task.checkCancellation()
    guard lines.isEmpty else { throw RemoteError.malformedAnswer("its last line is not complete") }
    return nil
  }
}

/// The values of a request, each of which is decoded when it is asked for.
actor RemoteRecords<Value: RowDecodable & Sendable> {
  private let server: RemoteServer
  private let blueprint: RequestBlueprint
  private let failures = DecodingFailures()
  /// The rows that follow; nil before the first.
  private var rows: RemoteRows?
  /// Whether a value is being read, and who waits to read the next.
  private var isReading = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Creates the values of a request, which is sent when the first is asked for.
  init(of blueprint: RequestBlueprint, from server: RemoteServer) {
    self.blueprint = blueprint
    self.server = server
  }

  deinit { failures.detach() }

  /// Returns the next value; nil after the last one.
  func next() async throws -> Value? {
    if isReading { await withCheckedContinuation { waiting.append($0) } }
    isReading = true
    // The next one reads on, before anybody who comes meanwhile.
    defer { if waiting.isEmpty { isReading = false } else { waiting.removeFirst().resume() } }
    var rows: RemoteRows
    if let known = self.rows {
      rows = known
    } else {
      rows = try await server.rows(of: blueprint, failures)
    }
    // Its buffer has one owner, so that it isn't copied.
    self.rows = nil
    defer { self.rows = rows }
    guard let row = try await rows.next() else {
      failures.detach()
      return nil
    }
    let value = try Value.decoded(from: row)
    try failures.check()
    return value
  }
}
