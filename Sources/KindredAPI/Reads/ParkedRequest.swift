import KindredBackend
import Synchronization

/// A request that waits for a reading connection.
final class ParkedRequest: Sendable {
  private struct State {
    var ticket: ReaderTicket?
    var isGranted = false
    var isEnded = false
  }

  let deadline: UInt64?
  private let state = Mutex(State())
  private let resume: @Sendable (ReaderTicket?) -> Void

  init(deadline: UInt64?, _ resume: @escaping @Sendable (ReaderTicket?) -> Void) {
    self.deadline = deadline
    self.resume = resume
  }

  var isWaiting: Bool { state.withLock { !$0.isEnded } }

  func queue(in pool: any ReaderPool, forLongResult isLong: Bool) {
    let ticket = pool.queueForReader(ofLongResult: isLong) { [self] in
      finish { state in
        state.isGranted = true
        return state.ticket
      }
    }
    // The request may have been granted its turn, or have ended, before its ticket was known.
    finish { state in
      state.ticket = ticket
      return state.isGranted || state.isEnded ? ticket : nil
    }
  }

  /// Resumes the request if `grant` returns its ticket.
  private func finish(_ grant: (inout State) -> ReaderTicket?) {
    let granted = state.withLock { state -> (ticket: ReaderTicket, isEnded: Bool)? in
      guard let ticket = grant(&state) else { return nil }
      defer { state.isEnded = true }
      return (ticket, state.isEnded)
    }
    guard let granted else { return }
    if granted.isEnded { granted.ticket.withdraw() } else { resume(granted.ticket) }
  }

  /// Ends the wait without a connection, unless the request has already been resumed.
  ///
  /// - Parameter isOverdue: Whether its time is up.
  func end(isOverdue: Bool) {
    let (isFirst, ticket) = state.withLock { state in
      defer { state.isEnded = true }
      return (!state.isEnded, state.ticket)
    }
    guard isFirst else { return }
    ticket?.withdraw(isOverdue: isOverdue)
    resume(nil)
  }
}
