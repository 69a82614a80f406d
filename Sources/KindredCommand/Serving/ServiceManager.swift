import Foundation
import KindredHTTP

/// The service manager that has started this process, such as systemd, to which it reports its state (sd_notify(3)).
final class ServiceManager: Sendable {
  private let descriptor: CInt
  private let address: [UInt8]
  /// How often it expects a sign of life; nil for never.
  let watchdogInterval: Duration?

  /// Returns nil if no manager wants to be notified.
  ///
  /// - Throws: `ConfigurationError`
  init?(_ environment: Environment) throws {
    guard let path = environment.variables["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
    let wrong = { (message: String) in ConfigurationError(place: "NOTIFY_SOCKET", message: message) }
    guard path.hasPrefix("/") || path.hasPrefix("@") else {
      throw wrong("'\(path)' is not valid: it must be the path of a socket, or @ and an abstract name")
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    // An abstract name begins with NUL (unix(7)).
    if path.hasPrefix("@") { name[0] = 0 }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw wrong("the path is too long")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    self.address = withUnsafeBytes(of: &address) { Array($0.prefix(offset + name.count)) }
    #if canImport(Glibc)
      let kind = CInt(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw wrong(String(cString: strerror(errno))) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    watchdogInterval = try Self.watchdogInterval(environment)
  }

  deinit { close(descriptor) }

  /// Sends lines such as `READY=1`.
  ///
  /// Errors are ignored, because the manager notices missing messages itself.
  func notify(_ lines: String...) {
    let message = Array(lines.joined(separator: "\n").utf8)
    address.withUnsafeBytes { address in
      _ = sendto(
        descriptor, message, message.count, CInt(MSG_NOSIGNAL),
        address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
    }
  }

  /// Reports that a reload begins; it ends with `READY=1`.
  func notifyReloading() {
    // In microseconds of the clock that the manager compares it with.
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    notify("RELOADING=1", "MONOTONIC_USEC=\(Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000)")
  }

  /// The interval that `WATCHDOG_USEC` sets, unless `WATCHDOG_PID` is another process.
  private static func watchdogInterval(_ environment: Environment) throws -> Duration? {
    let variables = environment.variables
    guard let text = variables["WATCHDOG_USEC"], !text.isEmpty else { return nil }
    if let process = variables["WATCHDOG_PID"], !process.isEmpty, process != String(getpid()) { return nil }
    guard let microseconds = Int(text), microseconds > 0 else {
      throw ConfigurationError(
        place: "WATCHDOG_USEC", message: "'\(text)' is not valid: it must be a number of microseconds")
    }
    return .microseconds(microseconds)
  }
}

/// The listening sockets that the service manager has handed over (sd_listen_fds(3)).
enum HandedOverSockets {
  /// The first descriptor after those of standard input, output and error.
  private static let first: CInt = 3

  /// Returns their descriptors; none if there are none for this process.
  ///
  /// - Throws: `ConfigurationError`
  static func descriptors(_ environment: Environment) throws -> [CInt] {
    let variables = environment.variables
    guard let text = variables["LISTEN_FDS"], !text.isEmpty, variables["LISTEN_PID"] == String(getpid())
    else {
      return []
    }
    guard let count = CInt(text), (0...1024).contains(count) else {
      throw ConfigurationError(
        place: "LISTEN_FDS", message: "'\(text)' is not valid: it must be a number of sockets")
    }
    return (0..<count).map { first + $0 }
  }
}
