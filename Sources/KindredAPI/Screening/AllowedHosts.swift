/// The hosts by which clients may address the service (RFC 9110 §7.2).
///
/// A page whose name its owner has pointed at this server (DNS rebinding) has the server's own origin for the browser
/// that shows it. `Host` still holds the page's name, and that tells it from a client of the server.
public struct AllowedHosts: Sendable, Hashable {
  /// In lower case and as bytes, which is how they are compared; nil for any host.
  private let names: [[UInt8]]?

  /// Any host.
  public static let any = AllowedHosts(names: nil)

  /// The names of a server on a loopback address.
  public static let loopback = AllowedHosts(["localhost", "127.0.0.1", "[::1]"])

  private init(names: [[UInt8]]?) { self.names = names }

  /// These hosts, each without a port, an IPv6 address in brackets; `*` stands for any.
  public init(_ names: [String]) {
    self.init(names: names.contains("*") ? nil : names.map { Array($0.utf8).map(\.lowercasedASCII) })
  }

  /// These hosts and others.
  public func union(_ other: AllowedHosts) -> AllowedHosts {
    guard let names, let more = other.names else { return .any }
    return AllowedHosts(names: names + more.filter { !names.contains($0) })
  }

  /// Whether the value of `Host`, with or without a port, is among them.
  func contains(_ authority: UnsafeRawBufferPointer) -> Bool {
    guard let names else { return true }
    let end: Int?
    if authority.first == UInt8(ascii: "[") {
      end = authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
    } else {
      end = authority.firstIndex(of: UInt8(ascii: ":"))
    }
    let host = authority[..<(end ?? authority.endIndex)]
    return names.contains { name in
      name.count == host.count && zip(name, host).allSatisfy { $0 == $1.lowercasedASCII }
    }
  }
}

extension UInt8 {
  /// An ASCII letter in lower case; every other byte as it is.
  fileprivate var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
