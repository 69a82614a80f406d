import Synchronization

/// A result as an event (WHATWG HTML §9.2, Server-sent events), shared by all listeners that it is for.
final class LiveEvent: Sendable {
  /// The tag of the result: equal results have equal ids, also after a restart.
  let id: String
  /// The bytes on the wire, which live as long as the event.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  private let memory: LiveMemory

  /// - Parameter json: the result. Where it has line breaks, they stand between tokens, where a blank is as good.
  init(_ json: [UInt8], memory: LiveMemory) {
    var hash = ContentHash()
    json.withUnsafeBytes { hash.update($0) }
    id = hash.finish().text
    let head = Array("id: \(id)\ndata: ".utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: head.count + json.count + 2, alignment: 1)
    buffer.copyBytes(from: head)
    let data = UnsafeMutableRawBufferPointer(rebasing: buffer[head.count..<(head.count + json.count)])
    data.copyBytes(from: json)
    for index in data.indices where data[index] == UInt8(ascii: "\n") || data[index] == UInt8(ascii: "\r") {
      data[index] = UInt8(ascii: " ")
    }
    buffer[buffer.count - 2] = UInt8(ascii: "\n")
    buffer[buffer.count - 1] = UInt8(ascii: "\n")
    bytes = UnsafeRawBufferPointer(buffer)
    self.memory = memory
    memory.add(buffer.count)
  }

  deinit {
    memory.add(-bytes.count)
    bytes.deallocate()
  }
}

/// How many bytes all events take that a listener, or a request with listeners, still holds.
final class LiveMemory: Sendable {
  private let count = Atomic(0)

  var bytes: Int { count.load(ordering: .relaxed) }

  func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}
