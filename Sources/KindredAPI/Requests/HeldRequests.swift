import KindredCryptography
import OrderedCollections
import Synchronization

/// Requests that not even a cursor has room for, so that the links to their next pages name them: the ones used last.
final class HeldRequests: Sendable {
  private struct State {
    /// Compressed, by their digests; the one used last is last.
    var requests: OrderedDictionary<[UInt8], [UInt8]> = [:]
    var size = 0
  }

  /// Bytes of all of them at most.
  private static let maximumSize = 16 << 20

  private let state = Mutex(State())

  /// Keeps a request.
  ///
  /// - Returns: The name that it is found by.
  func hold(_ request: [UInt8]) -> [UInt8] {
    let digest = HashFunction.sha256.digest(of: request)
    state.withLock { state in
      if state.requests.removeValue(forKey: digest) == nil { state.size += request.count }
      state.requests[digest] = request
      while state.size > Self.maximumSize, state.requests.count > 1 {
        state.size -= state.requests.removeFirst().value.count
      }
    }
    return digest
  }

  /// The request of this name; nil where it has made room for others.
  func request(_ digest: [UInt8]) -> [UInt8]? {
    state.withLock { state in
      guard let request = state.requests.removeValue(forKey: digest) else { return nil }
      state.requests[digest] = request
      return request
    }
  }
}
