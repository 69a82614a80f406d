import KindredSpooling
import Synchronization

/// The content of an answer, which arrives at the network's pace and is read at the program's.
///
/// What isn't read yet waits in memory up to a limit, and beyond it in temporary files. `URLSession` on Linux can't be
/// held up instead: it keeps in memory what it hasn't passed on, and all sessions share the queue on which it does so.
final class ReceivedContent: Sendable {
  /// Bytes in the order in which they have arrived.
  private struct Waiting {
    /// The first bytes.
    var memory: [UInt8] = []
    /// The bytes that follow them.
    var files: [ContentFile] = []
    /// How many bytes of the first file have been read.
    var offset = 0
    /// The last bytes, where files have no room for them.
    var rest: [UInt8] = []
  }

  private struct State {
    var waiting = Waiting()
    /// What follows the last byte; nil as long as more may arrive.
    var end: Result<Void, any Error>?
    /// Who waits for the next part.
    var reader: CheckedContinuation<[UInt8]?, any Error>?
  }

  /// Programs use as much of their disk as they like.
  private static let budget = ByteBudget(maximum: .max)
  /// The length of a file after which the next one begins, so that what has been read is given back.
  private static let fileLength = 64 << 20
  /// The length of a part that is read from a file, at most.
  private static let partLength = 1 << 18

  private let memoryLimit: Int
  private let onClose: @Sendable () -> Void
  private let state = Mutex(State())

  /// Creates a content of which nothing has arrived.
  ///
  /// - Parameters:
  ///   - memoryLimit: The number of bytes beyond which what isn't read yet goes to files.
  ///   - onClose: Called when no more will be read.
  init(memoryLimit: Int = 1 << 20, onClose: @escaping @Sendable () -> Void) {
    self.memoryLimit = memoryLimit
    self.onClose = onClose
  }

  /// The number of bytes that wait in memory.
  var memoryLength: Int { state.withLock { $0.waiting.memory.count + $0.waiting.rest.count } }

  // MARK: Receiving

  /// Appends a part, which isn't empty; after the end it is dropped.
  func receive(_ part: [UInt8]) {
    let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
      guard state.end == nil else { return nil }
      guard let reader = state.reader else {
        append(part, to: &state.waiting)
        return nil
      }
      state.reader = nil
      return reader
    }
    reader?.resume(returning: part)
  }

  /// Ends the content, by an error if there is one, unless it has ended.
  func finish(throwing error: (any Error)? = nil) {
    let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
    let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
      guard state.end == nil else { return nil }
      state.end = end
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(with: end.map { nil })
  }

  private func append(_ part: [UInt8], to waiting: inout Waiting) {
    guard waiting.rest.isEmpty else { return waiting.rest += part }
    if waiting.files.isEmpty, waiting.memory.isEmpty || waiting.memory.count + part.count <= memoryLimit {
      return waiting.memory += part
    }
    if waiting.files.last.map({ $0.count >= Self.fileLength }) ?? true {
      guard let file = ContentFile(in: Self.budget, for: nil) else { return waiting.rest += part }
      waiting.files.append(file)
    }
    guard let file = waiting.files.last else { return }
    let length = file.count
    if !file.append(part) { waiting.rest += part[(file.count - length)...] }
  }

  // MARK: Reading

  /// The parts of the content, which can be read once; where nobody reads them any more, no more is received.
  var parts: AsyncThrowingStream<[UInt8], any Error> {
    let reader = Reader(self)
    return AsyncThrowingStream { try await reader.content.next() }
  }

  /// Closes a content with its own life.
  private final class Reader: Sendable {
    let content: ReceivedContent

    init(_ content: ReceivedContent) { self.content = content }
    deinit { content.close() }
  }

  private func next() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader in
        let known = state.withLock { state -> Result<[UInt8]?, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if let known = Self.next(of: &state) { return known }
          state.reader = reader
          return nil
        }
        if let known { reader.resume(with: known) }
      }
    } onCancel: {
      close()
    }
  }

  /// Takes the next part out of what waits, or the end; nil where it hasn't arrived.
  private static func next(of state: inout State) -> Result<[UInt8]?, any Error>? {
    if !state.waiting.memory.isEmpty {
      defer { state.waiting.memory = [] }
      return .success(state.waiting.memory)
    }
    if let file = state.waiting.files.first {
      let part = [UInt8](unsafeUninitializedCapacity: min(partLength, file.count - state.waiting.offset)) {
        $1 = file.read(into: UnsafeMutableRawBufferPointer($0), from: state.waiting.offset) ?? 0
      }
      guard !part.isEmpty else {
        state.end = .failure(UnreadableFile())
        state.waiting = Waiting()
        return .failure(UnreadableFile())
      }
      state.waiting.offset += part.count
      if state.waiting.offset == file.count {
        state.waiting.files.removeFirst()
        state.waiting.offset = 0
      }
      return .success(part)
    }
    if !state.waiting.rest.isEmpty {
      defer { state.waiting.rest = [] }
      return .success(state.waiting.rest)
    }
    return state.end.map { end in end.map { nil } }
  }

  /// Drops what waits, and what arrives from now on.
  private func close() {
    finish(throwing: CancellationError())
    state.withLock { $0.waiting = Waiting() }
    onClose()
  }
}

/// What a temporary file has kept can't be read.
struct UnreadableFile: Error, CustomStringConvertible {
  var description: String { "a temporary file can't be read, in which the answer of a server waited" }
}
