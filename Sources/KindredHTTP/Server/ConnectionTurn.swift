/// How long a thread works on a connection that always has input, before others get their turn.
struct ConnectionTurn {
  private static let length = Duration.milliseconds(2)

  /// When the turn ends; nil while no clock was needed.
  private var end: Moment?
  private var hasInput = false

  /// Notes that a request is answered from a moment on.
  mutating func answers(at start: Moment) {
    if end == nil { end = start + Self.length }
  }

  /// Returns whether the turn is over, so that the connection's input has to wait.
  ///
  /// Most requests come alone, so the first input of a turn needs no clock.
  mutating func isOver() -> Bool {
    guard hasInput else {
      hasInput = true
      return false
    }
    let now = Moment.now
    if let end { return now >= end }
    end = now + Self.length
    return false
  }
}
