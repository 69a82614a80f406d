import KindredCryptography
import OrderedCollections
import Synchronization

/// The most recently used requests that are too long even for a cursor, so that the links to their next pages refer to
/// them by name.
final class HeldRequests: Sendable {
  private struct State {
    /// The compressed requests, keyed by their digests, in order of last use.
    var requests: OrderedDictionary<[UInt8], [UInt8]> = [:]
    var size = 0
  }

  /// The largest size of all requests in bytes.
  private static let maximumSize = 16 << 20

  private let state = Mutex(State())

  /// Stores a request.
  ///
  /// - Returns: The name by which it is found.
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

  /// Returns the request with this name, or nil if it has been evicted.
  func request(_ digest: [UInt8]) -> [UInt8]? {
    state.withLock { state in
      guard let request = state.requests.removeValue(forKey: digest) else { return nil }
      state.requests[digest] = request
      return request
    }
  }
}
