import CKindredOpenSSL

/// A connection's bytes, encrypted by OpenSSL on their way over another transport.
///
/// The handshake is part of the first reads and writes; they would block until it is done.
final class TLSTransport: ByteTransport {
  private let session: OpaquePointer
  /// What OpenSSL reads from and writes to; the session's BIO refers to it without owning it.
  private let plain: PlainTransport
  /// RFC 8446 §6: after a fatal alert nothing more may be sent, not even `close_notify`.
  private var hasFailed = false

  /// A record's content at most (RFC 8446 §5.1): more per write gains nothing.
  private static let recordLength = 16384

  /// Nil where OpenSSL has no memory.
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
    // What is small goes into one record with what follows. After a write that would block, the same bytes
    // are presented again, as OpenSSL demands.
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

  /// Calls OpenSSL, whose errors are told per thread: what another session left there is cleared before.
  private func perform(_ operation: (inout Int) -> CInt) -> TransferResult {
    guard !hasFailed else { return .failed }
    ERR_clear_error()
    var count = 0
    let result = operation(&count)
    if result == 1 { return .transferred(count) }
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      hasFailed = true
      isPlainPeer = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST
      return .failed
    }
  }

  func endOutput() {
    // RFC 8446 §6.1: each side MUST send close_notify before it ends its direction.
    if !hasFailed && SSL_is_init_finished(session) == 1 {
      ERR_clear_error()
      SSL_shutdown(session)
    }
    plain.endOutput()
  }
}
