import KindredRequests
import Synchronization

/// The result of a live request, and what it depends on.
struct LiveResult: Sendable {
  let event: LiveEvent
  /// The tables that it is read from, in lower case; nil if it may depend on anything else.
  let tables: Set<String>?
  /// Whether it comes from the server whose state is known; if not, it may be outdated in any state.
  var isOfWatchedServer = true
}

/// A result as an event (WHATWG HTML §9.2, Server-sent events), shared by all its listeners.
final class LiveEvent: Sendable {
  /// The hash of the result: equal results have equal IDs, even after a restart.
  let id: String
  /// The serialised event, which lives as long as this object.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  /// The serialised event as a chunk (RFC 9112 §7.1), whose framing is the same for all listeners.
  nonisolated(unsafe) let chunk: UnsafeRawBufferPointer
  /// The same event without the result, for clients that only want to know of the change.
  nonisolated(unsafe) let notice: UnsafeRawBufferPointer
  private let memory: LiveMemory

  /// - Parameter json: The result. Its line breaks are replaced by spaces, which is safe because they can only be
  ///   between tokens.
  init(_ json: [UInt8], memory: LiveMemory) {
    var hash = ContentHash()
    json.withUnsafeBytes { hash.update($0) }
    id = hash.finish().text
    let head = Array("id: \(id)\ndata: ".utf8)
    let count = head.count + json.count + 2
    let size = Array("\(String(count, radix: 16))\r\n".utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size.count + count + 2, alignment: 1)
    buffer.copyBytes(from: size)
    let event = UnsafeMutableRawBufferPointer(rebasing: buffer[size.count..<(size.count + count)])
    event.copyBytes(from: head)
    let data = UnsafeMutableRawBufferPointer(rebasing: event[head.count..<(head.count + json.count)])
    data.copyBytes(from: json)
    for index in data.indices where data[index] == UInt8(ascii: "\n") || data[index] == UInt8(ascii: "\r") {
      data[index] = UInt8(ascii: " ")
    }
    event[count - 2] = UInt8(ascii: "\n")
    event[count - 1] = UInt8(ascii: "\n")
    buffer[buffer.count - 2] = UInt8(ascii: "\r")
    buffer[buffer.count - 1] = UInt8(ascii: "\n")
    chunk = UnsafeRawBufferPointer(buffer)
    bytes = UnsafeRawBufferPointer(event)
    let empty = UnsafeMutableRawBufferPointer.allocate(byteCount: head.count + 2, alignment: 1)
    empty.copyBytes(from: head + Array("\n\n".utf8))
    notice = UnsafeRawBufferPointer(empty)
    self.memory = memory
    memory.add(bytes.count)
  }

  deinit {
    memory.add(-bytes.count)
    chunk.deallocate()
    notice.deallocate()
  }
}

/// The total size of all events that listeners, or requests with listeners, still hold.
final class LiveMemory: Sendable {
  private let count = Atomic(0)

  var bytes: Int { count.load(ordering: .relaxed) }

  func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}
