import CKindredSockets
import KindredSystem

/// A socket address: IPv4, IPv6, or the path of a Unix socket.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private var length: socklen_t

  /// Creates the address that `fill` writes; returns nil if it fails.
  init?(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt) {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
    }
    self.length = length
    guard result >= 0 else { return nil }
  }

  private init(_ info: addrinfo) {
    length = info.ai_addrlen
    withUnsafeMutableBytes(of: &storage) { storage in
      storage.copyMemory(from: UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
    }
  }

  /// Creates the address of a Unix socket; returns nil if the path is longer than the system allows (unix(7)).
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
      // The path ends with NUL.
      guard bytes.count < room.count else { return false }
      room.copyBytes(from: bytes)
      return true
    }
    guard isShort else { return nil }
    length = socklen_t(MemoryLayout<sockaddr_un>.size)
    withUnsafeMutableBytes(of: &storage) { storage in
      withUnsafeBytes(of: &address) { storage.copyMemory(from: $0) }
    }
  }

  /// The path of a Unix socket; nil for other addresses.
  var path: String? {
    guard family == AF_UNIX else { return nil }
    return withUnsafeBytes(of: storage) { bytes in
      let path = bytes.dropFirst(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2)
      return String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Returns the addresses of a host that a server can listen on, each once; empty if the name has none.
  static func resolve(host: String, port: Int) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = kindred_stream_type
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var known: Set<String> = []
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0 }
      .map { SocketAddress($0.pointee) }.filter { known.insert($0.description).inserted }
  }

  var family: CInt { CInt(storage.ss_family) }

  /// Returns the same address with another port.
  func with(port: Int) -> SocketAddress {
    var copy = self
    let number = UInt16(truncatingIfNeeded: port).bigEndian
    // The port is at the same offset in both families.
    withUnsafeMutableBytes(of: &copy.storage) { storage in
      storage.storeBytes(of: number, toByteOffset: 2, as: UInt16.self)
    }
    return copy
  }

  var port: Int {
    withUnsafeBytes(of: storage) { Int(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))) }
  }

  /// Whether this is a loopback address.
  var isLoopback: Bool {
    let host = host
    return host == "::1" || host.hasPrefix(family == AF_INET6 ? "::ffff:127." : "127.")
  }

  /// The client that the address belongs to.
  var client: ClientAddress {
    if family == AF_UNIX { return .local }
    return withUnsafeBytes(of: storage) { bytes in
      // `sin_addr` and `sin6_addr` (ip(7), ipv6(7)).
      guard family == AF_INET6 else {
        return ClientAddress(ipv4: bytes.load(fromByteOffset: 4, as: UInt32.self))
      }
      let high = UInt64(bigEndian: bytes.load(fromByteOffset: 8, as: UInt64.self))
      let low = UInt64(bigEndian: bytes.load(fromByteOffset: 16, as: UInt64.self))
      // RFC 4291 §2.5.5.2: an IPv4 address on a socket of both families.
      let isMapped = high == 0 && low >> 32 == 0xFFFF
      return isMapped
        ? ClientAddress(ipv4: UInt32(truncatingIfNeeded: low).bigEndian) : ClientAddress(ipv6Prefix: high)
    }
  }

  /// The numeric host.
  var host: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
      let result = withPointer {
        getnameinfo($0, $1, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      }
      guard result == 0, let base = text.baseAddress else { return "unknown" }
      return String(cString: base)
    }
  }

  /// The host and port as in a URL, such as `[::1]:8080`; `unix` for a Unix socket, whose clients have no addresses.
  var description: String {
    if family == AF_UNIX { return "unix" }
    return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
