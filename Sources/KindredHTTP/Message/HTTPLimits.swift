/// Limits on the size, rate and duration of what clients send.
public struct HTTPLimits: Sendable {
  /// The length of a request target in bytes; beyond it, 414.
  public var maxTargetLength = 8192
  /// The length in bytes of a header section, and of the trailer and chunk extensions of the content together; beyond
  /// it, 431.
  public var maxHeaderLength = 32768
  /// The number of header fields of a request; beyond it, 431.
  public var maxHeaderCount = 128
  /// The length of a request's content in bytes, without its framing; beyond it, 413.
  public var maxBodyLength = 1 << 20
  /// The same for requests whose content needn't fit into memory (`HTTPDecision.receive`).
  public var maxLongBodyLength = 0
  /// The time from a request's first byte, or the beginning of the connection, to the end of its header section; after
  /// it, 408.
  public var headerReadTimeout: Duration = .seconds(10)
  /// The time from the end of the header section to the end of the content, granted again for each further
  /// `maxBodyLength` of longer content; after it, 408.
  public var bodyReadTimeout: Duration = .seconds(60)
  /// How long a connection may wait for the next request, and how long a transfer may stall.
  public var idleTimeout: Duration = .seconds(60)
  /// The slowest average rate, in bytes per second over each `idleTimeout`, of receiving content or sending a response.
  public var minTransferRate = 100
  /// How long further input is read and discarded before a connection is closed (RFC 9112 §9.6).
  public var lingerTimeout: Duration = .seconds(2)
  /// The number of simultaneous connections; more are answered with 503.
  public var maxConnections = 1024
  /// The number of simultaneous connections of one address, and of simultaneous requests of one principal; more are
  /// answered with 429.
  ///
  /// Nil means no limit. An address is an IPv4 address or the 64-bit prefix of an IPv6 address; `HTTPHandler.identity`
  /// names the principal.
  public var maxConnectionsPerClient: Int? = 64
  /// The average number of requests per second of one principal, or of one address without credentials; more are
  /// answered with 429.
  ///
  /// Nil means no limit.
  public var maxRequestsPerSecond: Int?
  /// Whose connections carry the requests of many clients, which `Forwarded` tells apart.
  public var trustedProxies = TrustedProxies.none
  /// How long the keys of TLS tickets are used: a client that returns later makes a full handshake.
  public var ticketKeyLifetime: Duration = .seconds(12 * 3600)

  /// Creates the default limits.
  public init() {}

  /// The limits, clamped to ranges in which their sums and products can't overflow: lengths up to 1 GiB, those of files
  /// up to 1 PiB, times up to about a year.
  var bounded: HTTPLimits {
    func boundedFile(_ count: Int) -> Int { min(max(count, 0), 1 << 50) }
    func bounded(_ count: Int) -> Int { min(max(count, 0), 1 << 30) }
    func bounded(_ time: Duration) -> Duration { min(max(time, .zero), .seconds(1 << 25)) }
    var limits = self
    limits.maxTargetLength = bounded(maxTargetLength)
    limits.maxHeaderLength = bounded(maxHeaderLength)
    limits.maxHeaderCount = bounded(maxHeaderCount)
    limits.maxBodyLength = bounded(maxBodyLength)
    limits.maxLongBodyLength = boundedFile(maxLongBodyLength)
    limits.headerReadTimeout = bounded(headerReadTimeout)
    limits.bodyReadTimeout = bounded(bodyReadTimeout)
    limits.idleTimeout = bounded(idleTimeout)
    limits.minTransferRate = bounded(minTransferRate)
    limits.lingerTimeout = bounded(lingerTimeout)
    limits.maxConnections = bounded(maxConnections)
    limits.maxConnectionsPerClient = maxConnectionsPerClient.map(bounded)
    limits.maxRequestsPerSecond = maxRequestsPerSecond.map { max(1, bounded($0)) }
    limits.ticketKeyLifetime = bounded(ticketKeyLifetime)
    return limits
  }
}
