import CKindredOpenSSL

/// Presents a `PlainTransport` to OpenSSL as a BIO.
///
/// OpenSSL's own socket BIO would raise SIGPIPE for a client that has disconnected.
package enum TransportBIO {
  // Initialised once and only read afterwards.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "kindred transport") else {
      return nil
    }
    BIO_meth_set_read(method) { bio, bytes, count in
      guard let bio, let bytes, count > 0, let transport = transport(bio) else { return -1 }
      let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
      return result(of: transport.read(into: buffer), bio, retry: BIO_FLAGS_READ)
    }
    BIO_meth_set_write(method) { bio, bytes, count in
      guard let bio, let bytes, count > 0, let transport = transport(bio) else { return -1 }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      return result(of: transport.write(buffer, none, none), bio, retry: BIO_FLAGS_WRITE)
    }
    BIO_meth_set_ctrl(method) { bio, command, _, _ in
      switch command {
      case BIO_CTRL_EOF: BIO_test_flags(bio, BIO_FLAGS_IN_EOF) == 0 ? 0 : 1
      // Nothing is buffered, so there is nothing to flush.
      case BIO_CTRL_FLUSH: 1
      default: 0
      }
    }
    return method
  }()

  /// Returns a BIO that reads and writes through `transport`, which must outlive it.
  package static func make(over transport: PlainTransport) -> OpaquePointer? {
    guard let method, let bio = BIO_new(method) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(transport).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  private static func transport(_ bio: OpaquePointer) -> PlainTransport? {
    BIO_get_data(bio).map { Unmanaged<PlainTransport>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Translates a result to the form that OpenSSL expects.
  private static func result(of transfer: TransferResult, _ bio: OpaquePointer, retry: CInt) -> CInt {
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    switch transfer {
    case .transferred(let count):
      return CInt(count)
    case .wouldBlock, .interrupted:
      BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY)
      return -1
    case .ended:
      // OpenSSL queries this flag (BIO_CTRL_EOF) to tell the end from an error.
      BIO_set_flags(bio, BIO_FLAGS_IN_EOF)
      return 0
    case .failed:
      return -1
    }
  }
}
