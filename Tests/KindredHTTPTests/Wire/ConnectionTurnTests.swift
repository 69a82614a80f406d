import Testing

@testable import KindredHTTP

@Suite("The turn of a thread on a connection")
struct ConnectionTurnTests {
  @Test
  func `ends two milliseconds after its first request`() {
    var turn = ConnectionTurn()
    let isOverAtFirst = turn.isOver()
    #expect(!isOverAtFirst)
    turn.answers(at: Moment(nanoseconds: 0))
    // Later requests don't prolong it.
    turn.answers(at: .now + .seconds(60))
    let isOver = turn.isOver()
    #expect(isOver)
  }

  @Test
  func `goes on before its end`() {
    var turn = ConnectionTurn()
    turn.answers(at: .now + .seconds(60))
    for _ in 0..<3 {
      let isOver = turn.isOver()
      #expect(!isOver)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `ends though all its input belongs to one request`() {
    var turn = ConnectionTurn()
    while !turn.isOver() {}
  }
}
