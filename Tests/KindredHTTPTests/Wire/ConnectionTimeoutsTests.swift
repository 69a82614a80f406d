import Testing

@testable import KindredHTTP

@Suite("A connection's time-outs")
struct ConnectionTimeoutsTests {
  private static let limits = {
    var limits = HTTPLimits()
    limits.headerReadTimeout = .seconds(10)
    limits.idleTimeout = .seconds(60)
    limits.minTransferRate = 100
    limits.lingerTimeout = .seconds(2)
    return limits
  }()

  private func at(_ seconds: Int) -> Moment { Moment(nanoseconds: 0) + .seconds(seconds) }
  private var timeouts: ConnectionTimeouts { ConnectionTimeouts(limits: Self.limits, now: at(0)) }

  @Test
  func `count durations in nanoseconds, from none to 292 years`() {
    #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 2_999_999_999).nanoseconds == 2)
    #expect(Duration.seconds(-1).nanoseconds == 0)
    #expect(Duration.seconds(Int64.max).nanoseconds == UInt64(Int64.max))
    #expect(Duration.seconds(Int64.min).nanoseconds == 0)
  }

  @Test
  func `give the first request the time of a header from the beginning`() {
    var timeouts = timeouts
    timeouts.wait(for: .forRequest, now: at(5))
    #expect(timeouts.deadline == at(10))
    let isOver9 = timeouts.isOver(now: at(9))
    #expect(!isOver9)
    let isOver10 = timeouts.isOver(now: at(10))
    #expect(isOver10)
  }

  @Test
  func `give a header its time from its first byte, however many follow`() {
    var timeouts = timeouts
    timeouts.wait(for: .forHead, now: at(5))
    timeouts.moved(1, now: at(14))
    timeouts.wait(for: .forHead, now: at(14))
    let isOver15 = timeouts.isOver(now: at(15))
    #expect(isOver15)
  }

  @Test
  func `give content a time of its own, and each size of longer content another`() {
    var limits = Self.limits
    limits.bodyReadTimeout = .seconds(30)
    limits.maxBodyLength = 1000
    var timeouts = ConnectionTimeouts(limits: limits, now: at(0))
    timeouts.wait(for: .forContent, now: at(0))
    timeouts.moved(900, now: at(20))
    timeouts.wait(for: .forContent, now: at(20))
    #expect(timeouts.deadline == at(30))
    timeouts.moved(200, now: at(29))
    timeouts.wait(for: .forContent, now: at(29))
    #expect(timeouts.deadline == at(59))
    let isOver59 = timeouts.isOver(now: at(59))
    #expect(isOver59)
  }

  @Test
  func `give the next request the idle time, and its header a time of its own`() {
    var timeouts = timeouts
    timeouts.clear()
    #expect(timeouts.deadline == .never)
    timeouts.wait(for: .forRequest, now: at(100))
    #expect(timeouts.deadline == at(160))
    timeouts.clear()
    timeouts.wait(for: .forHead, now: at(200))
    #expect(timeouts.deadline == at(210))
  }

  @Test
  func `end a transfer that stands still for the idle time`() {
    var timeouts = timeouts
    timeouts.wait(for: .forOutput, now: at(0))
    timeouts.moved(100_000, now: at(50))
    timeouts.wait(for: .forOutput, now: at(50))
    let isOver109 = timeouts.isOver(now: at(109))
    #expect(!isOver109)
    let isOver110 = timeouts.isOver(now: at(110))
    #expect(isOver110)
  }

  @Test
  func `end a transfer below the least rate, though it never stands still`() {
    var timeouts = timeouts
    timeouts.wait(for: .forContent, now: at(0))
    for second in 1...60 {
      timeouts.moved(99, now: at(second))
      timeouts.wait(for: .forContent, now: at(second))
    }
    let isOver60 = timeouts.isOver(now: at(60))
    #expect(isOver60)
  }

  @Test
  func `let a transfer go on that is just fast enough`() {
    var timeouts = timeouts
    timeouts.wait(for: .forOutput, now: at(0))
    for second in 1...300 {
      timeouts.moved(101, now: at(second))
      timeouts.wait(for: .forOutput, now: at(second))
      let isOver = timeouts.isOver(now: at(second))
      #expect(!isOver)
    }
  }

  @Test
  func `let a refused client send on for a while, and not for ever (RFC 9112 §9.6)`() {
    var timeouts = timeouts
    timeouts.wait(for: .forEnd, now: at(0))
    #expect(timeouts.deadline == at(2))
    for second in 1..<20 { timeouts.moved(1, now: at(second)) }
    #expect(timeouts.deadline == at(20))
    let isOver20 = timeouts.isOver(now: at(20))
    #expect(isOver20)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(-1), .zero])
  func `take limits of any size`(duration: Duration) {
    var limits = HTTPLimits()
    limits.idleTimeout = duration
    limits.headerReadTimeout = duration
    limits.lingerTimeout = duration
    var timeouts = ConnectionTimeouts(limits: limits.bounded, now: .now)
    for waiting in [
      ConnectionStateMachine.Waiting.forHead, .forOutput, .forEnd, .forLastRequest, .forRequest,
    ] {
      timeouts.wait(for: waiting, now: .now)
      #expect(timeouts.deadline > Moment(nanoseconds: 0))
    }
  }
}
