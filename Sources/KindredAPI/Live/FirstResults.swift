import KindredSQLSyntax
import Synchronization

/// The first results of live requests that are being made: equal requests wait for them, without a thread.
final class FirstResults: Sendable {
  /// Thrown by a request that waits for the result of an equal one.
  struct Awaited: Error {
    let results: FirstResults
    let key: LiveQuery.Key
  }

  private let waiting = Mutex<[LiveQuery.Key: [@Sendable () -> Void]]>([:])

  /// Makes the result of a request, unless an equal one is making it.
  ///
  /// - Throws: `Awaited` in that case.
  func make<Result>(_ key: LiveQuery.Key, _ body: () throws -> Result) throws -> Result {
    let isFirst = waiting.withLock { waiting in
      if waiting[key] != nil { return false }
      waiting[key] = []
      return true
    }
    guard isFirst else { throw Awaited(results: self, key: key) }
    defer {
      for call in waiting.withLock({ $0.removeValue(forKey: key) }) ?? [] { call() }
    }
    return try body()
  }

  /// Calls `body` once no request is making the result any more, whatever came of it.
  func whenMade(_ key: LiveQuery.Key, _ body: @escaping @Sendable () -> Void) {
    let isMade = waiting.withLock { waiting in
      waiting[key]?.append(body)
      return waiting[key] == nil
    }
    if isMade { body() }
  }
}
