/// Settings of live results (`text/event-stream`).
public struct LiveOptions: Sendable {
  /// The largest number of clients that may listen at the same time.
  public var maximumListeners = 10_000
  /// The time in seconds without an event after which a comment is sent.
  public var heartbeat: Double = 15
  /// The length of the longest event in bytes; a longer result can't be listened to.
  public var maximumEventLength = 16 << 20
  /// The size in bytes of all events held for slow clients; beyond it, the slowest are disconnected.
  public var maximumMemory = 64 << 20

  /// Creates the default settings.
  public init() {}
}
