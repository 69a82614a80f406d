import KindredSystem

/// The proxies that are believed what they say of their clients in `Forwarded` (RFC 7239).
public struct TrustedProxies: Sendable, Hashable {
  /// The addresses with a common beginning.
  private struct Network: Hashable {
    let address: NetworkAddress
    let length: Int
  }

  private let networks: [Network]
  private let includesUnixSockets: Bool

  /// Trusts no proxy.
  public static let none = TrustedProxies(networks: [], includesUnixSockets: false)

  private init(networks: [Network], includesUnixSockets: Bool) {
    self.networks = networks
    self.includesUnixSockets = includesUnixSockets
  }

  /// Trusts these addresses and networks, such as `10.0.0.0/8` and `::1`; nil if one is malformed.
  ///
  /// `unix` stands for all who connect to a Unix socket.
  public init?(_ names: some Sequence<some StringProtocol>) {
    var networks: [Network] = []
    var includesUnixSockets = false
    for name in names {
      if name == "unix" {
        includesUnixSockets = true
      } else if let network = Self.network(name) {
        networks.append(network)
      } else {
        return nil
      }
    }
    self.init(networks: networks, includesUnixSockets: includesUnixSockets)
  }

  private static func network(_ name: some StringProtocol) -> Network? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2, let address = NetworkAddress(String(first)) else {
      return nil
    }
    let most = address.isIPv4 ? 32 : 128
    guard parts.count == 2 else { return Network(address: address, length: 128) }
    guard parts[1].utf8.allSatisfy({ $0.decimalValue != nil }), let length = Int(parts[1]), length <= most
    else { return nil }
    return Network(address: address, length: length + 128 - most)
  }

  var isEmpty: Bool { networks.isEmpty && !includesUnixSockets }

  func contains(_ address: NetworkAddress) -> Bool {
    networks.contains { $0.address.agrees(with: address, in: $0.length) }
  }

  func contains(_ peer: SocketAddress) -> Bool {
    if isEmpty { return false }
    if peer.path != nil { return includesUnixSockets }
    return NetworkAddress(peer.host).map(contains) ?? false
  }
}

/// An IPv6 address, or an IPv4 address as one (RFC 4291 §2.5.5.2).
struct NetworkAddress: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Creates the address that a text is; nil for anything else, such as a name.
  init?(_ text: String) {
    var ipv4 = in_addr()
    var ipv6 = in6_addr()
    if inet_pton(AF_INET, text, &ipv4) == 1 {
      high = 0
      low = 0xFFFF << 32 | UInt64(UInt32(bigEndian: ipv4.s_addr))
    } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
      (high, low) = withUnsafeBytes(of: ipv6) { bytes in
        (
          UInt64(bigEndian: bytes.load(fromByteOffset: 0, as: UInt64.self)),
          UInt64(bigEndian: bytes.load(fromByteOffset: 8, as: UInt64.self))
        )
      }
    } else {
      return nil
    }
  }

  var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// Returns whether both addresses begin with the same bits.
  func agrees(with other: NetworkAddress, in length: Int) -> Bool {
    func agree(_ one: UInt64, _ other: UInt64, _ length: Int) -> Bool {
      length <= 0 || (one ^ other) >> UInt64(max(0, 64 - length)) == 0
    }
    return agree(high, other.high, length) && agree(low, other.low, length - 64)
  }

  /// The client that the address belongs to.
  var client: ClientAddress {
    isIPv4 ? ClientAddress(ipv4: UInt32(truncatingIfNeeded: low).bigEndian) : ClientAddress(ipv6Prefix: high)
  }
}
