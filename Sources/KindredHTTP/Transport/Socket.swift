import CKindredSockets
import KindredSystem

/// System calls on sockets, with results as values.
package enum Socket {
  /// Receives bytes from a non-blocking socket.
  static func receive(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .transferred(count) }
      if count == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed
      }
    }
  }

  /// Sends bytes to a non-blocking socket; a peer that has disconnected gives a result, never SIGPIPE.
  static func send(
    _ descriptor: CInt, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
    _ third: UnsafeRawBufferPointer
  ) -> TransferResult {
    // One buffer costs less than three of which two are empty.
    let only: UnsafeRawBufferPointer? =
      third.isEmpty ? second.isEmpty ? first : first.isEmpty ? second : nil : nil
    while true {
      let count =
        if let only {
          withUnsafeTemporaryAllocation(of: iovec.self, capacity: 1) { parts in
            parts.initializeElement(at: 0, to: iovec(only))
            return kindred_send(descriptor, parts.baseAddress, 1)
          }
        } else {
          gather(descriptor, first, second, third)
        }
      if count >= 0 { return .transferred(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed
      }
    }
  }

  private static func gather(
    _ descriptor: CInt, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
    _ third: UnsafeRawBufferPointer
  ) -> Int {
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { parts in
      parts.initializeElement(at: 0, to: iovec(first))
      parts.initializeElement(at: 1, to: iovec(second))
      parts.initializeElement(at: 2, to: iovec(third))
      return kindred_send(descriptor, parts.baseAddress, CInt(parts.count))
    }
  }

  package static func close(_ descriptor: CInt) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #elseif canImport(Darwin)
      _ = Darwin.close(descriptor)
    #endif
  }

  /// Returns whether the peer has closed its sending direction or the connection is broken.
  static func hasHungUp(_ descriptor: CInt) -> Bool { kindred_peer_has_hung_up(descriptor) != 0 }

  /// Disables Nagle's algorithm: responses are written as a whole, and waiting for more would only delay their end.
  static func disableDelay(_ descriptor: CInt) {
    setOption(descriptor, level: CInt(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  @discardableResult
  static func setOption(_ descriptor: CInt, level: CInt, _ option: CInt, _ value: CInt) -> Bool {
    var value = value
    return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
  }
}

extension iovec {
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
  }
}
