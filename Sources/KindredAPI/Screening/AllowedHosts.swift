import KindredHTTP

/// The hosts under which clients may address the service (RFC 9110 §7.2).
///
/// They protect against DNS rebinding. If the owner of a page points its host name at this server, browsers treat the
/// page as being of the server's origin, but `Host` still contains the page's host name.
public struct AllowedHosts: Sendable, Hashable {
  /// The hosts in lower case, as bytes for comparison; nil for any host.
  private let names: [[UInt8]]?
  /// The same in one list, each after its length, so that all requests share one reference instead of several.
  private let list: [UInt8]

  /// Allows any host.
  public static let any = AllowedHosts(names: nil)

  /// Allows the hosts of a server on a loopback address.
  public static let loopback = AllowedHosts(["localhost", "127.0.0.1", "[::1]"])

  private init(names: [[UInt8]]?) {
    self.names = names
    // No host is longer (RFC 1035 §2.3.4).
    list = (names ?? []).flatMap { name in UInt8(exactly: name.count).map { [$0] + name } ?? [] }
  }

  /// Allows these hosts, each without a port and an IPv6 address in brackets; `*` allows any.
  public init(_ names: [String]) {
    self.init(names: names.contains("*") ? nil : names.map { Array($0.utf8).map(\.lowercased) })
  }

  /// Returns these hosts together with others.
  public func union(_ other: AllowedHosts) -> AllowedHosts {
    guard let names, let more = other.names else { return .any }
    return AllowedHosts(names: names + more.filter { !names.contains($0) })
  }

  /// Returns whether the value of `Host`, with or without a port, is allowed.
  func contains(_ authority: UnsafeRawBufferPointer) -> Bool {
    guard names != nil else { return true }
    let end: Int?
    if authority.first == UInt8(ascii: "[") {
      end = authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
    } else {
      end = authority.firstIndex(of: UInt8(ascii: ":"))
    }
    let host = UnsafeRawBufferPointer(rebasing: authority[..<(end ?? authority.endIndex)])
    return list.withUnsafeBytes { Self.contains(host, in: $0) }
  }

  private static func contains(_ host: UnsafeRawBufferPointer, in list: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    while start < list.count {
      let name = list[(start + 1)...].prefix(Int(list[start]))
      if name.count == host.count, zip(name, host).allSatisfy({ $0 == $1.lowercased }) { return true }
      start = name.endIndex
    }
    return false
  }
}
