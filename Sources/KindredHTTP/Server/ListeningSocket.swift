import CKindredSockets
import KindredSystem

/// A listening socket.
final class ListeningSocket: Sendable {
  /// The result of accepting.
  enum Accepted {
    case connection(CInt, peer: SocketAddress)
    /// No connection is waiting.
    case none
    /// A connection is waiting, but the process or the system has no descriptors or memory left.
    case exhausted(errno: CInt)
  }

  let descriptor: CInt
  let address: SocketAddress
  /// The file of a Unix socket that this process has created.
  private let file: UnixSocketFile?

  /// The kernel uses the smaller of this and its own limit.
  private static let backlog: CInt = 4096

  private init(descriptor: CInt, address: SocketAddress, file: UnixSocketFile? = nil) {
    self.descriptor = descriptor
    self.address = address
    self.file = file
  }

  deinit { Socket.close(descriptor) }

  /// Removes the file of a Unix socket, so that no client can connect to it any more.
  func removeFile() { file?.remove() }

  /// Returns the sockets of a place.
  static func listen(at place: ListeningPlace) throws(HTTPServerError) -> [ListeningSocket] {
    switch place {
    case .host(let host, let port): return try listen(host: host, port: port)
    case .path(let path, let mode):
      let (descriptor, address, file) = try UnixSocketFile.listen(at: path, mode: mode, backlog: backlog)
      return [ListeningSocket(descriptor: descriptor, address: address, file: file)]
    case .descriptors(let descriptors):
      return try descriptors.map { descriptor throws(HTTPServerError) in
        try ListeningSocket(inherited: descriptor)
      }
    }
  }

  /// Takes over a socket that another process has made.
  private convenience init(inherited descriptor: CInt) throws(HTTPServerError) {
    var isListening: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening != 0,
      let address = SocketAddress({ getsockname(descriptor, $0, $1) })
    else {
      throw HTTPServerError(
        .system, "the descriptor \(descriptor) of LISTEN_FDS is not a listening stream socket")
    }
    guard kindred_adopt(descriptor) == 0 else {
      throw HTTPServerError(
        .system,
        "the descriptor \(descriptor) of LISTEN_FDS can't be used: \(String(cString: strerror(errno)))")
    }
    self.init(descriptor: descriptor, address: address)
  }

  /// Returns the addresses of a host.
  static func addresses(host: String, port: Int) throws(HTTPServerError) -> [SocketAddress] {
    guard (0...65535).contains(port) else {
      throw HTTPServerError(
        .addressNotAvailable, "cannot listen on port \(port): a port must be a number from 0 to 65535")
    }
    let addresses = SocketAddress.resolve(host: host, port: port)
    guard !addresses.isEmpty else {
      throw HTTPServerError(
        .unknownHost,
        "cannot listen on \(host):\(port): the host '\(host)' has no address; "
          + "use 127.0.0.1 to accept connections from this machine only, or 0.0.0.0 or :: for all its addresses"
      )
    }
    return addresses
  }

  /// Returns sockets on every address of a host, all with the same port, which is a free one for port 0.
  private static func listen(host: String, port: Int) throws(HTTPServerError) -> [ListeningSocket] {
    let addresses = try addresses(host: host, port: port)
    for _ in 0..<attempts {
      do throws(HTTPServerError) {
        return try listen(addresses, host: host, port: port)
      } catch {
        // The port that the system chose for one address may be in use on another.
        guard port == 0, error.code == .addressInUse else { throw error }
      }
    }
    return try listen(addresses, host: host, port: port)
  }

  /// How many ports are tried if any is right.
  private static let attempts = 8

  private static func listen(
    _ addresses: [SocketAddress], host: String, port: Int
  ) throws(HTTPServerError) -> [ListeningSocket] {
    var sockets: [ListeningSocket] = []
    var firstError: HTTPServerError?
    for address in addresses {
      do throws(HTTPServerError) {
        let port = sockets.first?.address.port ?? port
        sockets.append(try listen(address.with(port: port), host: host))
      } catch {
        // A name may have an address of a family that this machine doesn't support.
        firstError = firstError ?? error
        if error.code == .addressInUse { throw error }
      }
    }
    if sockets.isEmpty, let firstError { throw firstError }
    return sockets
  }

  private static func listen(
    _ address: SocketAddress, host: String
  ) throws(HTTPServerError) -> ListeningSocket {
    let descriptor = kindred_stream_socket(address.family)
    guard descriptor >= 0 else { throw error(errno, host: host, port: address.port) }
    Socket.setOption(descriptor, level: SOL_SOCKET, SO_REUSEADDR, 1)
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0,
      kindred_listen(descriptor, backlog) == 0,
      let bound = SocketAddress({ getsockname(descriptor, $0, $1) })
    else {
      let error = error(errno, host: host, port: address.port)
      Socket.close(descriptor)
      throw error
    }
    return ListeningSocket(descriptor: descriptor, address: bound)
  }

  private static func error(_ number: CInt, host: String, port: Int) -> HTTPServerError {
    let what = "cannot listen on \(host):\(port): "
    switch number {
    case EADDRINUSE:
      return HTTPServerError(
        .addressInUse, what + "the port is in use; choose another one, or 0 for any that is free")
    case EADDRNOTAVAIL:
      return HTTPServerError(
        .addressNotAvailable,
        what + "'\(host)' is not an address of this machine; "
          + "use 127.0.0.1 to accept connections from this machine only, or 0.0.0.0 or :: for all its addresses"
      )
    case EACCES, EPERM:
      return HTTPServerError(
        .notPermitted,
        what + "ports below 1024 require a privilege (CAP_NET_BIND_SERVICE); choose a port of at least 1024")
    default:
      return HTTPServerError(.system, what + String(cString: strerror(number)))
    }
  }

  /// Accepts one connection, without blocking.
  func accept() -> Accepted {
    while true {
      var descriptor: CInt = -1
      let peer = SocketAddress { pointer, length in
        descriptor = kindred_accept(self.descriptor, pointer, length)
        return descriptor
      }
      if let peer { return .connection(descriptor, peer: peer) }
      switch errno {
      case EAGAIN:
        return .none
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        return .exhausted(errno: errno)
      case EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP, EFAULT:
        // The socket itself can't accept anything.
        return .none
      default:
        // accept(2): these are errors of the first connection in the queue; the next may succeed.
        continue
      }
    }
  }
}
