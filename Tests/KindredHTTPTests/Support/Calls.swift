import Synchronization

/// Records calls from any thread.
final class Calls: Sendable {
  private let list = Mutex<[String]>([])

  func add(_ call: String) { list.withLock { $0.append(call) } }

  var all: [String] { list.withLock { $0 } }
}
