import Foundation
import KindredClock
import KindredSystem
import Logging
import Synchronization

/// The source of the keys of tokens: a file, which is read again when it changes, or an `https` URL, which is fetched
/// again when the set is old or a token names a key that it lacks.
final class KeySource: Sendable {
  /// The result of fetching the set again.
  enum Fetched {
    case keys(KeySet)
    /// Another request is fetching it.
    case underWay
    /// The set was fetched too recently, or can't be fetched.
    case unchanged
  }

  private struct State {
    var set: KeySet
    var generation = 0
    /// The identity of the file when it was read.
    var file: FileIdentity?
    /// When the set was last checked, in nanoseconds of the monotonic clock.
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
  /// Returns the time in nanoseconds of a monotonic clock.
  private let now: @Sendable () -> UInt64

  /// How long a check of the file is valid, in nanoseconds.
  private static let fileInterval: UInt64 = 200_000_000
  /// The age in nanoseconds at which a set from a URL is fetched again.
  private static let maximumAge: UInt64 = 600_000_000_000
  /// The shortest time in nanoseconds between two fetches that unknown key IDs cause.
  private static let fetchInterval: UInt64 = 10_000_000_000
  /// The timeout of fetching, in seconds.
  private static let fetchTimeout = 5.0
  /// The length of the longest accepted set, in bytes.
  private static let maximumLength = 1 << 20

  /// - Parameter now: Returns the time in nanoseconds of a monotonic clock.
  /// - Throws: `KeySetError` if the set can't be read.
  init(
    _ location: AccessConfiguration.KeyLocation, logger: Logger,
    now: @escaping @Sendable () -> UInt64 = MonotonicTime.now
  ) throws {
    self.now = now
    self.location = location
    self.logger = logger
    let file = Self.identity(of: location)
    let set = try Self.read(location)
    state = Mutex(State(set: set, file: file, lastCheck: now()))
    logRefusals(of: set)
  }

  /// Returns the current keys and their generation, which changes with them.
  func current() -> (set: KeySet, generation: Int) {
    let (known, isDue) = state.withLock { state in
      let age = now() - state.lastCheck
      switch location {
      case .file:
        guard age >= Self.fileInterval else { return ((state.set, state.generation), false) }
        state.lastCheck = now()
        let file = Self.identity(of: location)
        // A file that is briefly missing, as while it is being replaced, changes nothing.
        if let file, file != state.file {
          state.file = file
          _ = replace(&state, by: Result { try Self.read(location) })
        }
        return ((state.set, state.generation), false)
      case .url:
        let isDue = age >= Self.maximumAge && !state.isFetching
        if isDue { state.isFetching = true }
        return ((state.set, state.generation), isDue)
      }
    }
    // A set that is merely old is refreshed in the background.
    if isDue { Thread.detachNewThread { _ = self.fetch() } }
    return known
  }

  /// Fetches the set for a token whose key it lacks, at most once in ten seconds.
  func fetchedAnew() -> Fetched {
    guard case .url = location else { return .unchanged }
    let refusal = state.withLock { state -> Fetched? in
      if state.isFetching { return .underWay }
      guard now() - state.lastCheck >= Self.fetchInterval else { return .unchanged }
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
      state.lastCheck = now()
      return replace(&state, by: result)
    }
  }

  /// Returns the new set; nil if it couldn't be read, and the previous one stays.
  private func replace(_ state: inout State, by result: Result<KeySet, any Error>) -> KeySet? {
    do {
      state.set = try result.get()
      state.generation += 1
      logRefusals(of: state.set)
      return state.set
    } catch {
      logger.error("the token keys could not be updated, the previous ones stay in use: \(error)")
      return nil
    }
  }

  private func logRefusals(of set: KeySet) {
    for refusal in set.refusals { logger.warning("\(location.name): \(refusal)") }
  }

  // MARK: Reading

  private static func read(_ location: AccessConfiguration.KeyLocation) throws -> KeySet {
    let bytes: [UInt8]
    do {
      switch location {
      case .file(let path):
        guard let content = FileManager.default.contents(atPath: path) else {
          throw KeySetError("it can't be read; check the path and the permissions")
        }
        bytes = Array(content)
      case .url(let url, let fetch): bytes = try fetch(url, fetchTimeout, maximumLength)
      }
      guard bytes.count <= maximumLength else {
        throw KeySetError("it is longer than \(maximumLength) bytes")
      }
      return try KeySet(bytes)
    } catch {
      throw KeySetError("\(location.name): \(error)")
    }
  }

  private static func identity(of location: AccessConfiguration.KeyLocation) -> FileIdentity? {
    guard case .file(let path) = location else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    return FileIdentity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), length: Int64(status.st_size),
      seconds: modified.tv_sec, nanoseconds: modified.tv_nsec)
  }
}
