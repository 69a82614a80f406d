/// How results are kept live for those who listen (`text/event-stream`).
public struct LiveOptions: Sendable {
  /// How many clients may listen at the same time.
  public var maximumListeners = 10_000
  /// Seconds without an event after which a comment is sent.
  public var heartbeat: Double = 15
  /// Bytes of the longest event; a longer result can't be listened to.
  public var maximumEventLength = 16 << 20
  /// Bytes of all events that are held for clients who read slowly; beyond it, the slowest are cut off.
  public var maximumMemory = 64 << 20

  /// The defaults.
  public init() {}
}
