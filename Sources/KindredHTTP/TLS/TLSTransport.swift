import CKindredOpenSSL

/// A transport that encrypts with OpenSSL over another transport.
///
/// The handshake takes place within the first reads and writes, which return `wouldBlock` until it is done.
final class TLSTransport: ByteTransport {
  private let session: OpaquePointer
  /// The transport that OpenSSL reads from and writes to; the session's BIO refers to it without owning it.
  private let plain: PlainTransport
  /// After a fatal alert nothing more may be sent, not even `close_notify` (RFC 8446 §6).
  private var hasFailed = false

  /// How often one call reads from the socket, up to a record's length each time: records without content, such as those
  /// of new keys (RFC 8446 §4.6.3), could otherwise follow one another without end.
  private static let readsPerCall = 2

  /// The largest content of a record (RFC 8446 §5.1): longer writes gain nothing.
  private static let recordLength = 16384

  /// Creates a transport; returns nil if OpenSSL has no memory.
  init?(context: TLSContext, over plain: PlainTransport) {
    guard let session = context.makeSession() else { return nil }
    guard let bio = TransportBIO.make(over: plain) else {
      SSL_free(session)
      return nil
    }
    SSL_set_bio(session, bio, bio)
    self.session = session
    self.plain = plain
  }

  deinit { SSL_free(session) }

  var isSecure: Bool { true }

  private(set) var isPlainPeer = false

  var hasHungUp: Bool { plain.hasHungUp }

  var awaited: Directions { plain.awaited }

  func noteEvent(hasHungUp: Bool) { plain.noteEvent(hasHungUp: hasHungUp) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    perform { count in SSL_read_ex(session, buffer.baseAddress, buffer.count, &count) }
  }

  func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
  ) -> TransferResult {
    if isPlainPeer { return plain.write(first, second, third) }
    let next = first.isEmpty ? (second.isEmpty ? third : second) : first
    if next.count >= Self.recordLength {
      return write(UnsafeRawBufferPointer(rebasing: next[..<Self.recordLength]))
    }
    // Small parts share one record. After a write that would block, the same bytes are presented again, as OpenSSL
    // demands.
    return withUnsafeTemporaryAllocation(byteCount: Self.recordLength, alignment: 16) { record in
      var length = 0
      for bytes in [first, second, third] {
        let part = bytes.prefix(record.count - length)
        UnsafeMutableRawBufferPointer(rebasing: record[length...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        length += part.count
      }
      return write(UnsafeRawBufferPointer(rebasing: record[..<length]))
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
    perform { count in SSL_write_ex(session, bytes.baseAddress, bytes.count, &count) }
  }

  /// Calls OpenSSL, after clearing the errors of other sessions from the thread's error queue.
  private func perform(_ operation: (inout Int) -> CInt) -> TransferResult {
    guard !hasFailed else { return .failed }
    ERR_clear_error()
    plain.readAllowance = Self.readsPerCall
    var count = 0
    let result = operation(&count)
    if result == 1 { return .transferred(count) }
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ where plain.hasUsedAllowance: return .interrupted
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      hasFailed = true
      isPlainPeer = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST
      return .failed
    }
  }

  func endOutput() {
    announceEnd()
    plain.endOutput()
  }

  func announceEnd() {
    // RFC 8446 §6.1: each side MUST send close_notify before it closes its sending direction.
    guard !hasFailed, SSL_is_init_finished(session) == 1, SSL_get_shutdown(session) & SSL_SENT_SHUTDOWN == 0
    else { return }
    ERR_clear_error()
    SSL_shutdown(session)
  }
}
