import Foundation
import KindredHTTP
import Logging
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the keys of tokens come from: a file, which is read again when it changes, or an `https` URL, which is fetched
/// again when it is old, and when a token names a key that the set doesn't have.
final class KeySource: Sendable {
  /// What fetching the set anew came to.
  enum Fetched {
    case keys(KeySet)
    /// Another request is at it.
    case underWay
    /// The set was fetched too shortly before, or can't be had.
    case unchanged
  }

  private struct State {
    var set: KeySet
    var generation = 0
    /// Of a file: what it was when it was read.
    var file: FileIdentity?
    /// Monotonic, in nanoseconds.
    var lastCheck: UInt64
    var isFetching = false
  }

  private struct FileIdentity: Equatable {
    let device: UInt64
    let inode: UInt64
    let length: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private let location: AccessConfiguration.KeyLocation
  private let state: Mutex<State>
  private let logger: Logger

  /// How long a look at a file is good for.
  private static let fileInterval: UInt64 = 200_000_000
  /// How old a set from a URL may get before it is fetched again.
  private static let maximumAge: UInt64 = 600_000_000_000
  /// How often tokens with unknown keys may have the set fetched.
  private static let fetchInterval: UInt64 = 10_000_000_000
  /// How long fetching may take, in seconds.
  private static let fetchTimeout = 5.0
  /// The longest set that is read.
  private static let maximumLength = 1 << 20

  /// - Throws: `KeySetError` where there is no set of keys.
  init(_ location: AccessConfiguration.KeyLocation, logger: Logger) throws {
    self.location = location
    self.logger = logger
    let file = Self.identity(of: location)
    let set = try Self.read(location)
    for refusal in set.refusals { logger.warning("\(Self.name(of: location)): \(refusal)") }
    state = Mutex(State(set: set, file: file, lastCheck: Self.now))
  }

  /// Returns the keys as they are known, and the number of this state of them.
  func current() -> (set: KeySet, generation: Int) {
    let (known, isDue) = state.withLock { state in
      let age = Self.now - state.lastCheck
      switch location {
      case .file:
        guard age >= Self.fileInterval else { return ((state.set, state.generation), false) }
        state.lastCheck = Self.now
        let file = Self.identity(of: location)
        // A file that is gone for a moment, as while it is replaced, changes nothing.
        if let file, file != state.file { load(&state, file) }
        return ((state.set, state.generation), false)
      case .url:
        let isDue = age >= Self.maximumAge && !state.isFetching
        if isDue { state.isFetching = true }
        return ((state.set, state.generation), isDue)
      }
    }
    // Nobody waits for a set that only is old.
    if isDue { Thread.detachNewThread { _ = self.fetch() } }
    return known
  }

  /// Fetches the set for a token whose key it doesn't have; at most once in ten seconds, whatever tokens come.
  func fetchedAnew() -> Fetched {
    guard case .url = location else { return .unchanged }
    let refusal = state.withLock { state -> Fetched? in
      if state.isFetching { return .underWay }
      guard Self.now - state.lastCheck >= Self.fetchInterval else { return .unchanged }
      state.isFetching = true
      return nil
    }
    if let refusal { return refusal }
    return fetch().map { .keys($0) } ?? .unchanged
  }

  private func fetch() -> KeySet? {
    let result = Result { try Self.read(location) }
    return state.withLock { state in
      state.isFetching = false
      state.lastCheck = Self.now
      switch result {
      case .success(let set):
        state.set = set
        state.generation += 1
        for refusal in set.refusals { logger.warning("\(Self.name(of: location)): \(refusal)") }
        return set
      case .failure(let error):
        logger.error("the keys of tokens stay as they are: \(error)")
        return nil
      }
    }
  }

  private func load(_ state: inout State, _ file: FileIdentity) {
    state.file = file
    do {
      state.set = try Self.read(location)
      state.generation += 1
      for refusal in state.set.refusals { logger.warning("\(Self.name(of: location)): \(refusal)") }
    } catch {
      logger.error("the keys of tokens stay as they are: \(error)")
    }
  }

  // MARK: Reading

  private static func read(_ location: AccessConfiguration.KeyLocation) throws -> KeySet {
    let bytes: [UInt8]
    do {
      switch location {
      case .file(let path):
        guard let content = FileManager.default.contents(atPath: path) else {
          throw KeySetError("it can't be read: check the path and the permissions")
        }
        guard content.count <= maximumLength else {
          throw KeySetError("it is longer than \(maximumLength) bytes")
        }
        bytes = Array(content)
      case .url(let url):
        bytes = try HTTPSClient.get(url, timeout: fetchTimeout, maximumLength: maximumLength)
      }
      return try KeySet(bytes)
    } catch {
      throw KeySetError("\(name(of: location)): \(error)")
    }
  }

  private static func name(of location: AccessConfiguration.KeyLocation) -> String {
    switch location {
    case .file(let path): path
    case .url(let url): url
    }
  }

  private static func identity(of location: AccessConfiguration.KeyLocation) -> FileIdentity? {
    guard case .file(let path) = location else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileIdentity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), length: Int64(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
