import Synchronization

/// Which server a connection leads to: the system that it is a copy of, and the timeline of its log, which begins anew with
/// each promotion.
public struct ServerIdentity: Hashable, Sendable {
  /// The identifier that all copies of a system share; nil if it is unknown.
  public let system: String?
  /// The number of the timeline; nil if it is unknown.
  ///
  /// A standby may show that of an earlier one for a while.
  public let timeline: UInt32?
  /// Whether it follows another server.
  public let isStandby: Bool

  /// Creates an identity.
  public init(system: String?, timeline: UInt32?, isStandby: Bool) {
    (self.system, self.timeline, self.isStandby) = (system, timeline, isStandby)
  }

  init(_ row: QueryResult) {
    self.init(
      system: row.text(0, 0), timeline: row.integer(0, 1).flatMap { UInt32(exactly: $0) },
      isStandby: row.isTrue(0, 2))
  }

  /// The timeline of a server that is no standby.
  private static let ofServer =
    "('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8"

  /// The timeline that a server shows.
  ///
  /// Standbys show that of their last restart point, or that which they receive, which only members of
  /// `pg_read_all_stats` see.
  public static let timeline = """
    CASE WHEN pg_is_in_recovery() THEN greatest((SELECT timeline_id FROM pg_control_checkpoint()), \
    (SELECT min_recovery_end_timeline FROM pg_control_recovery()), (SELECT received_tli FROM pg_stat_wal_receiver)) \
    ELSE \(ofServer) END
    """

  /// The same without functions that a user may lack the privilege for.
  public static let timelineOfServer = "CASE WHEN NOT pg_is_in_recovery() THEN \(ofServer) END"

  static let query = Query(
    "SELECT (SELECT system_identifier FROM pg_control_system()), \(timeline), pg_is_in_recovery()",
    isReusable: false)

  static let queryOfServer = Query("SELECT NULL, \(timelineOfServer), pg_is_in_recovery()", isReusable: false)
}

/// The latest server that a URL has led to.
///
/// One of an earlier timeline of the same system has been left behind, and isn't connected to again.
public final class ServerEpoch: Sendable {
  private struct State {
    var latest: ServerIdentity?
    var canIdentify = true
  }

  private let state = Mutex(State())

  /// The identity of the last server that was no standby; nil until there is one.
  public var latest: ServerIdentity? { state.withLock { $0.latest } }

  /// Whether the user may call the functions that tell the identifier of the system, as far as is known.
  public var canIdentify: Bool {
    get { state.withLock { $0.canIdentify } }
    set { state.withLock { $0.canIdentify = newValue } }
  }

  /// Notes a server, and returns whether it is current.
  func note(_ server: ServerIdentity) -> Bool {
    state.withLock { state in
      guard Self.isCurrent(server, state.latest) else { return false }
      if !server.isStandby, server.timeline != nil { state.latest = server }
      return true
    }
  }

  /// Returns whether no later server has been seen.
  func isCurrent(_ server: ServerIdentity) -> Bool {
    state.withLock {
      Self.isCurrent(server, $0.latest) && (server.isStandby || server.system == $0.latest?.system)
    }
  }

  private static func isCurrent(_ server: ServerIdentity, _ latest: ServerIdentity?) -> Bool {
    guard let latest, let last = latest.timeline, let timeline = server.timeline,
      server.system == latest.system
    else { return true }
    return timeline >= last
  }
}
