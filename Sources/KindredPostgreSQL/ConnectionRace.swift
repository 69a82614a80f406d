import CKindredPostgreSQL
import KindredClock
import KindredSystem

/// Connects to the first of several hosts that answers and qualifies.
///
/// The hosts are tried in order. If one hasn't answered within 200 ms, the next one is tried as well.
struct ConnectionRace {
  /// An attempt to connect to one address.
  private struct Attempt {
    let handle: OpaquePointer
    let address: ServerAddress
    /// The time by which it must succeed, in nanoseconds of `MonotonicTime`; nil for no limit.
    let end: UInt64?
    var waitsToWrite = true
  }

  let target: ConnectionTarget
  let notice: Notice
  /// The time by which a connection must be made, in nanoseconds of `MonotonicTime`; nil for no limit.
  let deadline: UInt64?
  private var attempts: [Attempt] = []
  private var excluded: Set<ServerAddress> = []
  private var failures: [String] = []
  private var refusal: PostgreSQLError.State?
  private var needsPassword = false

  /// The nanoseconds after which the next host is tried as well if one hasn't answered.
  private static let stagger: UInt64 = 200_000_000

  init(_ target: ConnectionTarget, _ notice: Notice, deadline: UInt64?) {
    (self.target, self.notice, self.deadline) = (target, notice, deadline)
  }

  /// Returns a connection, and the address that it leads to.
  ///
  /// - Throws: `PostgreSQLError` with libpq's message for each host.
  mutating func connect() throws(PostgreSQLError) -> (OpaquePointer, ServerAddress) {
    let settings = target.settings
    let all = ServerAddress.resolved(settings.hosts)
    // Which of several is tried, the URL says for each connection.
    let addresses = (settings.isShuffled ? all.shuffled() : all).filter { !excluded.contains($0) }
    // Which sessions are preferred is decided among all hosts, not by libpq, which sees one.
    for attributes in settings.sessionAttributes where !addresses.isEmpty {
      if let connected = race(
        ServerAddress.ordered(addresses), settings, attributes, isOnly: all.count == 1)
      {
        return connected
      }
      if isOutOfTime { break }
    }
    throw failure
  }

  /// Notes that an address leads to a server that can't be used.
  mutating func exclude(_ address: ServerAddress, _ reason: String) {
    excluded.insert(address)
    note("\(target.described(address)) \(reason)", of: address)
  }

  private var isOutOfTime: Bool { deadline.map { MonotonicTime.now() >= $0 } ?? false }

  private var failure: PostgreSQLError {
    let hint = needsPassword ? " (give one in the URL, PGPASSWORD or ~/.pgpass)" : ""
    var texts = failures.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    if texts.isEmpty { texts = ["there was no time to connect"] }
    var error = PostgreSQLError.lost(texts.joined(separator: "; ") + hint)
    error.refusal = refusal
    return error
  }

  private mutating func race(
    _ addresses: [ServerAddress], _ settings: ConnectionTarget.Settings, _ attributes: String?,
    isOnly: Bool
  ) -> (OpaquePointer, ServerAddress)? {
    defer {
      for attempt in attempts { kindred_pq_finish(attempt.handle) }
      attempts = []
    }
    var rest = addresses[...]
    var nextStart: UInt64 = 0
    while true {
      let now = MonotonicTime.now()
      if let deadline, now >= deadline {
        for attempt in attempts {
          note("\(target.described(attempt.address)) didn't answer in time", of: attempt.address)
        }
        return nil
      }
      if attempts.isEmpty || now >= nextStart, let address = rest.popFirst() {
        begin(address, settings, attributes, isOnly: isOnly)
        nextStart = now + Self.stagger
      }
      if attempts.isEmpty {
        if rest.isEmpty { return nil }
        continue
      }
      let ends =
        attempts.compactMap(\.end) + (rest.isEmpty ? [] : [nextStart]) + (deadline.map { [$0] } ?? [])
      let isReady = WatchedSocket.wait(
        for: attempts.map { (kindred_pq_socket($0.handle), $0.waitsToWrite) }, until: ends.min())
      for index in attempts.indices.reversed() {
        if let connected = advance(index, isReady[index]) { return connected }
      }
    }
  }

  private mutating func begin(
    _ address: ServerAddress, _ settings: ConnectionTarget.Settings, _ attributes: String?, isOnly: Bool
  ) {
    var keywords = target.keywords(settings)
    // A single host is as libpq finds it.
    if !isOnly { keywords += address.keywords }
    if let attributes { keywords.append(("target_session_attrs", attributes)) }
    guard
      let handle = ConnectionTarget.withKeywords(keywords, { kindred_pq_begin($0, $1, notice.memory) })
    else {
      failures.append("there is not enough memory for a connection")
      return
    }
    let attempt = Attempt(
      handle: handle, address: address, end: settings.connectTimeout.map { MonotonicTime.now() + $0 })
    if Int(kindred_pq_status(handle)) == KINDRED_PQ_CONNECTION_BAD {
      fail(attempt)
    } else {
      attempts.append(attempt)
    }
  }

  /// Continues an attempt, and returns its connection once it is made.
  private mutating func advance(_ index: Int, _ isReady: Bool) -> (OpaquePointer, ServerAddress)? {
    let attempt = attempts[index]
    guard isReady else {
      guard let end = attempt.end, MonotonicTime.now() >= end else { return nil }
      attempts.remove(at: index)
      kindred_pq_finish(attempt.handle)
      note("\(target.described(attempt.address)) didn't answer in time", of: attempt.address)
      return nil
    }
    switch Int(kindred_pq_poll(attempt.handle)) {
    case KINDRED_PQ_POLLING_OK:
      attempts.remove(at: index)
      return (attempt.handle, attempt.address)
    case KINDRED_PQ_POLLING_FAILED:
      attempts.remove(at: index)
      fail(attempt)
    case let state: attempts[index].waitsToWrite = state == KINDRED_PQ_POLLING_WRITING
    }
    return nil
  }

  private mutating func fail(_ attempt: Attempt) {
    let (message, state) = Self.withoutState(String(message: kindred_pq_error_message(attempt.handle)))
    if kindred_pq_needs_password(attempt.handle) { needsPassword = true }
    kindred_pq_finish(attempt.handle)
    if let state, refusal != .tooManyConnections { refusal = state }
    note(target.withoutSecrets(message), of: attempt.address)
  }

  private mutating func note(_ failure: String, of address: ServerAddress) {
    failures.append(failure)
    address.note(failed: true)
  }

  /// Returns a message of libpq in its verbose form as it is otherwise, and the SQLSTATE in it.
  ///
  /// A message is `…: FATAL:  53300: sorry, too many clients already; LOCATION:  InitProcess, proc.c:378`.
  static func withoutState(_ message: String) -> (message: String, state: PostgreSQLError.State?) {
    var state: PostgreSQLError.State?
    let parts = message.split(separator: "; ").filter { !$0.hasPrefix("LOCATION:") }.map {
      part -> Substring in
      for place in part.ranges(of: ":  ") {
        let code = part[place.upperBound...].prefix { $0.isASCII && ($0.isUppercase || $0.isWholeNumber) }
        guard code.count == 5, part[code.endIndex...].hasPrefix(": ") else { continue }
        state = state ?? PostgreSQLError.State(String(code))
        return part[..<place.upperBound] + part[code.endIndex...].dropFirst(2)
      }
      return part
    }
    return (parts.joined(separator: "; "), state)
  }
}
