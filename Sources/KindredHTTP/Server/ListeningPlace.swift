import KindredSystem

/// Where a server listens.
public enum ListeningPlace: Hashable, Sendable {
  /// Every address of a host: a name or a numeric address, with a port from 1 to 65535, or 0 for any free one.
  case host(String, port: Int)
  /// A Unix socket at a path, and the permissions of its file.
  case path(String, mode: UInt16)
  /// Listening sockets that another process has made, as systemd does, by their descriptors.
  case descriptors([CInt])

  /// Whether only clients of this machine can connect by TCP, as those of a browser's page.
  public var isLoopback: Bool {
    switch self {
    case .host(let host, _): HTTPServer.isLoopback(host: host)
    case .path: false
    case .descriptors(let descriptors):
      descriptors.allSatisfy { descriptor in
        SocketAddress { getsockname(descriptor, $0, $1) }?.isLoopback ?? false
      }
    }
  }

  /// Checks what can be checked without listening.
  ///
  /// - Throws: `HTTPServerError`
  public func check() throws(HTTPServerError) {
    switch self {
    case .host(let host, let port): _ = try ListeningSocket.addresses(host: host, port: port)
    case .path(let path, _): try UnixSocketFile.check(path)
    case .descriptors: break
    }
  }
}
