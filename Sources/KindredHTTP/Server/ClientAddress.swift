/// The owner of a connection, as far as its address shows: an IPv4 address, or the 64-bit prefix of an IPv6 address,
/// of which a customer has at least one (RFC 6177 §2).
public struct ClientAddress: Hashable, Sendable {
  private enum Family: Hashable {
    case ipv4, ipv6, local
  }

  private let prefix: UInt64
  private let family: Family

  private init(_ prefix: UInt64, _ family: Family) {
    self.prefix = prefix
    self.family = family
  }

  init(ipv4: UInt32) { self.init(UInt64(ipv4), .ipv4) }

  init(ipv6Prefix: UInt64) { self.init(ipv6Prefix, .ipv6) }

  /// The clients of a Unix socket, which can't be told apart.
  static let local = ClientAddress(0, .local)

  /// The clients behind trusted proxies, as far as connections are concerned.
  static let proxies = ClientAddress(1, .local)

  /// Whether it stands for one client, so that the limits of a client apply.
  var isOfOneClient: Bool { family != .local }
}
