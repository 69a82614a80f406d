import CKindredPostgreSQL
import KindredClock
import Synchronization

/// One of the addresses at which a database may be.
struct ServerAddress: Hashable, Sendable {
  /// The name of the host or the directory of the socket; empty for libpq's default.
  var host: String
  /// The numeric address; empty to leave it to libpq.
  var address: String
  var port: String

  /// The parameters for libpq.
  var keywords: [(name: String, value: String)] { [("host", host), ("hostaddr", address), ("port", port)] }

  /// The hosts that have failed to answer or to qualify, and when, in nanoseconds of `MonotonicTime`.
  private static let failures = Mutex<[ServerAddress: UInt64]>([:])

  /// The nanoseconds after a failure in which other hosts are tried first.
  private static let validity: UInt64 = 10_000_000_000
  /// The largest number of addresses of a host, and of failures that are remembered.
  private static let capacity = (addresses: 8, failures: 1000)

  /// The largest number of bytes of a numeric address, with that of an interface and the zero byte.
  private static let longestAddress = 64

  /// Notes whether a connection could be made.
  func note(failed: Bool) {
    Self.failures.withLock { failures in
      if failures.count >= Self.capacity.failures { failures = [:] }
      failures[self] = failed ? MonotonicTime.now() : nil
    }
  }

  /// Returns the addresses in the same order, except that recently failed ones follow the others.
  static func ordered(_ all: [ServerAddress]) -> [ServerAddress] {
    let now = MonotonicTime.now()
    let failed = failures.withLock { failures in
      all.map { failures[$0].map { now < $0 + validity } ?? false }
    }
    return zip(all, failed).filter { !$0.1 }.map(\.0) + zip(all, failed).filter(\.1).map(\.0)
  }

  /// Returns the addresses that the names of hosts have now; a single one is left to libpq.
  static func resolved(_ hosts: [ServerAddress]) -> [ServerAddress] {
    let all = hosts.flatMap { host in
      guard host.address.isEmpty, let first = host.host.first, first != "/", first != "@" else {
        return [host]
      }
      return host.addresses.map { ServerAddress(host: host.host, address: $0, port: host.port) }
    }
    return all.count > 1 ? all : hosts
  }

  /// The numeric addresses of the host; an empty one if the name is unknown, which libpq then reports.
  private var addresses: [String] {
    let size = Self.longestAddress
    var bytes = [UInt8](repeating: 0, count: size * Self.capacity.addresses)
    return bytes.withUnsafeMutableBytes { bytes in
      let count = kindred_pq_resolve(
        host, bytes.baseAddress, Int32(size), Int32(Self.capacity.addresses))
      let names = (0..<Int(count)).map { number in
        String(decoding: bytes[number * size..<(number + 1) * size].prefix { $0 != 0 }, as: UTF8.self)
      }
      return names.isEmpty ? [""] : names
    }
  }
}
