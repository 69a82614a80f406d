import Testing

@testable import KindredAPI

@Suite
struct RepeatedFailureTests {
  private static let second: UInt64 = 1_000_000_000

  @Test
  func `a failure is logged once, and then counted`() {
    let failures = RepeatedFailures()
    #expect(failures.note("port 5432 failed", at: Self.second) == 0)
    for number in 0..<5 { #expect(failures.note("port \(5432 + number) failed", at: 2 * Self.second) == nil) }
    #expect(failures.note("port 5432 failed", at: 12 * Self.second) == 6)
    #expect(failures.note("port 5432 failed", at: 13 * Self.second) == nil)
  }

  @Test
  func `another failure, and one of another outage, is logged at once`() {
    let failures = RepeatedFailures()
    #expect(failures.note("refused", at: Self.second) == 0)
    #expect(failures.note("no route", at: Self.second) == 0)
    #expect(failures.note("refused", at: 100 * Self.second) == 0)
  }
}
