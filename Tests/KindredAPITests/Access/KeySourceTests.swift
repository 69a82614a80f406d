import Logging
import Synchronization
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Keys of tokens from a URL")
struct KeySourceTests {
  /// Serves a set with one key, a different one for each request, and counts the requests.
  private final class Provider: Sendable {
    let requests = Atomic(0)

    func set() -> [UInt8] {
      let number = requests.wrappingAdd(1, ordering: .relaxed).newValue
      let secret = Base64.encodeForURL([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32))
      let set = #"{"keys":[{"kty":"oct","kid":"\#(number)","k":"\#(secret)"}]}"#
      return Array(set.utf8)
    }
  }

  private final class Clock: Sendable {
    let seconds = Atomic(1)

    var now: UInt64 { UInt64(seconds.load(ordering: .relaxed)) * 1_000_000_000 }
  }

  @Test
  func `an unknown key has the set fetched again, at most once in ten seconds`() throws {
    let (provider, clock) = (Provider(), Clock())
    let source = try KeySource(
      .url("https://keys.example", fetch: { _, _, _ in provider.set() }), logger: Logger(label: "test"),
      now: { clock.now })
    func fetchedKey() -> String? {
      guard case .keys(let set) = source.fetchedAnew() else { return nil }
      return set.keys.first?.id
    }
    #expect(source.current().set.keys.map(\.id) == ["1"])
    for _ in 0..<3 { #expect(fetchedKey() == nil, "the set was just fetched") }
    clock.seconds.store(11, ordering: .relaxed)
    #expect(fetchedKey() == "2")
    #expect(fetchedKey() == nil)
    #expect(source.current().set.keys.map(\.id) == ["2"], "the first key has been withdrawn")
    clock.seconds.store(21, ordering: .relaxed)
    #expect(fetchedKey() == "3")
    #expect(provider.requests.load(ordering: .relaxed) == 3)
  }
}
