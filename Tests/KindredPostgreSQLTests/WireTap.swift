import Foundation
import KindredPostgreSQL
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A socket that passes connections on to the private server, and counts the round trips of writes.
///
/// A round trip is a `Sync` message, after which the client waits for the responses to all messages before it
/// (<https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>). Only connections on which a
/// serializable transaction has begun are counted, since others read the schema now and then.
final class WireTap: Sendable {
  /// The same database as the given target, through this socket.
  let target: ConnectionTarget
  private let syncs = Mutex(0)
  private let listener: Int32
  private let serverPath: String
  private let directory: String

  /// - Parameter target: A database of the private server.
  init(_ database: String) throws {
    let url = try #require(URLComponents(string: try Cluster.shared.get().url))
    let host = try #require(url.queryItems?.first { $0.name == "host" }?.value)
    serverPath = host + "/.s.PGSQL.5432"
    directory = FileManager.default.temporaryDirectory.path + "/tap-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    target = try #require(ConnectionTarget("postgres:///\(database)?host=\(directory)&user=kindred"))
    listener = Self.unixSocket()
    let isBound = Self.withAddress(directory + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
    try #require(listener >= 0 && isBound == 0 && listen(listener, 16) == 0)
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        pass(client)
      }
    }
  }

  /// Returns the number of round trips of writes since the last call.
  func takeRoundTrips() -> Int {
    syncs.withLock { count in
      defer { count = 0 }
      return count
    }
  }

  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func pass(_ client: Int32) {
    let server = Self.unixSocket()
    guard Self.withAddress(serverPath, { connect(server, $0, $1) }) == 0 else { return }
    Thread.detachNewThread { [self] in
      var messages = Messages()
      Self.copy(from: client, to: server) { bytes in
        let count = messages.countSyncs(in: bytes)
        syncs.withLock { $0 += count }
      }
    }
    Thread.detachNewThread { Self.copy(from: server, to: client) { _ in } }
  }

  private static func copy(from source: Int32, to sink: Int32, _ note: (ArraySlice<UInt8>) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      note(buffer[..<count])
      var start = 0
      while start < count {
        let written = buffer[start..<count].withUnsafeBytes { write(sink, $0.baseAddress, $0.count) }
        guard written > 0 else { break }
        start += written
      }
    }
    shutdown(sink, Int32(SHUT_RDWR))
    shutdown(source, Int32(SHUT_RDWR))
  }

  private static func unixSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_UNIX, Int32(SOCK_STREAM), 0)
    #endif
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The messages of a client (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).
  private struct Messages {
    private var bytes: [UInt8] = []
    private var isStarted = false
    private var hasWritten = false

    /// Returns the number of `Sync` messages that end in some bytes, since the first serializable transaction.
    mutating func countSyncs(in new: ArraySlice<UInt8>) -> Int {
      bytes += new
      var count = 0
      var start = 0
      while true {
        // The startup message has no type.
        let head = isStarted ? 1 : 0
        guard bytes.count >= start + head + 4 else { break }
        let length = bytes[(start + head)..<(start + head + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= start + head + length else { break }
        let message = bytes[start..<(start + head + length)]
        if isStarted {
          if message.first == UInt8(ascii: "P"),
            String(decoding: message, as: UTF8.self).contains("SERIALIZABLE")
          {
            hasWritten = true
          }
          if message.first == UInt8(ascii: "S"), hasWritten { count += 1 }
        }
        isStarted = true
        start += head + length
      }
      bytes.removeFirst(start)
      return count
    }
  }
}
