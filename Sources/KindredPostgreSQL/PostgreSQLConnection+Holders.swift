import CKindredPostgreSQL
import KindredClock

/// The holders of a connection, one after another.
extension PostgreSQLConnection {
  /// Closes the connection when its holder returns it, because a rollback wouldn't undo all of its changes.
  public func retire() { isBroken = true }

  /// A handle to cancel the statements of the current holder.
  public var cancelHandle: CancelHandle { CancelHandle(state: cancelState, holder: cancelState.holder) }

  /// Whether the server, or a pooler, has closed the idle connection.
  var hasEnded: Bool {
    guard !isBroken, !isOutdated else { return true }
    let socket = WatchedSocket(descriptor: kindred_pq_socket(handle))
    guard socket.wait(toWriteToo: false, nanoseconds: 0).isReadable else { return false }
    if awaitsEnd {
      // Usually this is all that has arrived; the next statements detect anything else.
      guard kindred_pq_consume(handle) else { return true }
      guard !kindred_pq_is_busy(handle) else { return false }
      do { try takeEnd() } catch { return true }
      guard socket.wait(toWriteToo: false, nanoseconds: 0).isReadable else { return false }
    }
    // The message is either a notice, such as a changed setting, or the last one before the server closes the
    // connection.
    while kindred_pq_consume(handle), Int(kindred_pq_status(handle)) == KINDRED_PQ_CONNECTION_OK {
      guard socket.wait(toWriteToo: false, nanoseconds: Self.timeToClose).isReadable else { return false }
    }
    return true
  }

  /// The nanoseconds between the message that announces the end of a connection and the end itself.
  private static let timeToClose: UInt64 = 50_000_000

  private var isInTransaction: Bool {
    !isBroken && !awaitsEnd && Int(kindred_pq_transaction_status(handle)) != KINDRED_PQ_TRANSACTION_IDLE
  }

  /// Undoes what its holder has left behind, and invalidates the holder's cancel handles.
  func relinquish() {
    if cancelState.changeHolder() {
      // The cancellation may arrive at any time, and must not hit another holder's statement.
      isBroken = true
      return
    }
    deadline = MonotonicTime.now() &+ 2_000_000_000
    do {
      if isOpen, !isBroken {
        try end()
      } else if isInTransaction {
        _ = try run([Query("ROLLBACK", isReusable: false)])
      }
    } catch {
      isBroken = true
    }
    for name in prepared.takeLeftovers() where !isBroken && ownsSession {
      _ = try? run([Query("DEALLOCATE \(name)", isReusable: false)])
    }
    deadline = nil
  }
}
