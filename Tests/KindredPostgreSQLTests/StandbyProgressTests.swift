import Testing

@testable import KindredPostgreSQLBackend

@Suite("How far a standby is behind")
struct StandbyProgressTests {
  @Test
  func `a standby is behind from when it has received what it does not replay`() {
    let progress = StandbyProgress()
    #expect(progress.lag(received: 0, replayed: 0, at: 1) == 0)
    #expect(progress.lag(received: 50, replayed: 50, at: 1000) == 0)
    #expect(progress.lag(received: 60, replayed: 50, at: 2000) == 0)
    #expect(progress.lag(received: 70, replayed: 55, at: 2500) == 500)
    // It has come as far as it had received at first.
    #expect(progress.lag(received: 80, replayed: 60, at: 3000) == 0)
    #expect(progress.lag(received: 90, replayed: 79, at: 3400) == 400)
    #expect(progress.lag(received: 90, replayed: 90, at: 3500) == 0)
  }
}
