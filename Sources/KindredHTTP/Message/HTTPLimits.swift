/// How much a client may ask of the server, in size and in time.
public struct HTTPLimits: Sendable {
  /// Bytes of a request target; more is answered with 414.
  public var maxTargetLength = 8192
  /// Bytes of a request's header section, and of the trailer and chunk extensions of its content; 431.
  public var maxHeaderLength = 32768
  /// Header fields of a request; 431.
  public var maxHeaderCount = 128
  /// Bytes of a request's content, without its framing; 413.
  public var maxBodyLength = 1 << 20
  /// The same of requests whose content need not fit into memory (`HTTPHandler.takesLongBody`).
  public var maxLongBodyLength = 0
  /// From a request's first byte, or the beginning of the connection, to the end of its header section; 408.
  public var headerReadTimeout: Duration = .seconds(10)
  /// From the end of its header section, the time for a request's content, and again for each further
  /// `maxBodyLength` of longer content; 408.
  public var bodyReadTimeout: Duration = .seconds(60)
  /// How long a connection may wait for the next request, and a transfer may stand still.
  public var idleTimeout: Duration = .seconds(60)
  /// Bytes per second that a request's content or an answer must make on average over each `idleTimeout`.
  public var minTransferRate = 100
  /// How long the rest of what a client sends is read past once it has been refused (RFC 9112 §9.6).
  public var lingerTimeout: Duration = .seconds(2)
  /// Connections at the same time; more are answered with 503.
  public var maxConnections = 1024
  /// Connections of one client at the same time; more are answered with 429.
  ///
  /// Nil for any number. A client is an IPv4 address or the 64-bit prefix of an IPv6 address.
  public var maxConnectionsPerClient: Int? = 64
  /// Requests of one client in a second, on average; more are answered with 429.
  ///
  /// Nil for any number.
  public var maxRequestsPerSecond: Int?

  /// The defaults.
  public init() {}

  /// With every limit in a range in which sums and products of them can't overflow: lengths up to 1 GiB, of
  /// files up to 1 PiB, times up to about a year.
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
    return limits
  }
}
