import ArgumentParser
import Foundation
import KindredAPI
import KindredHTTP
import KindredSQLite
import KindredRequests
import Logging

/// The settings of the server only.
struct ServerSettings: ParsableArguments {
  @OptionGroup(title: "Common options") var everyday: EverydayServerSettings
  @OptionGroup(title: "Server") var service: ServiceSettings
  @OptionGroup(title: "Clients") var clients: ClientLimitSettings
  @OptionGroup(title: "Log") var log: LogSettings
}

/// What is set for a server every day.
struct EverydayServerSettings: ParsableArguments {
  @Option("The address or name to listen on, or unix: and the path of a Unix socket.", value: "host")
  var host = "127.0.0.1"

  @Option("The port to listen on; 0 picks a free one.", value: "port")
  var port = Port(8080)

  @Flag(inversion: .prefixedNo, help: "Let clients write to the database.")
  var writable = false

  @Option("The certificate and its intermediate certificates, in PEM format.", value: "file")
  var tlsCertificate: String?

  @Option("The private key of the certificate, in PEM format.", value: "file")
  var tlsKey: String?

  @Option("The origins whose pages may use the server, separated by commas; * for all.", value: "origins")
  var corsOrigins: Origins?

  @Option("The least severe level that is logged.", value: "level")
  var logLevel = Logger.Level.info
}

/// What a server offers, and how it opens its database.
struct ServiceSettings: ParsableArguments {
  @Option("The database, if no argument names it.", value: "database")
  var database: String?

  @Option("The permissions of the Unix socket, in octal.", value: "mode")
  var socketMode = FileMode(0o660)

  @Option("The path that a proxy puts before every path, such as /library.", value: "path")
  var basePath: BasePath?

  @Option(
    "The proxies whose Forwarded tells client, host and scheme, as addresses or networks such as 10.0.0.0/8 separated by commas; unix for those of the Unix socket.",
    value: "addresses")
  var trustedProxies: TrustedProxies?

  @Flag(inversion: .prefixedNo, help: "Serve the explorer to browsers.")
  var explorer = true

  @Flag(
    inversion: .prefixedNo,
    help: "Tell browsers to use only HTTPS for this host name, for a year (HSTS, RFC 6797).")
  var tlsHsts = false

  @Option(
    "The host names under which clients may address the server, separated by commas; * for any. On a loopback address, localhost, 127.0.0.1 and [::1] are always allowed; on other addresses, any name is allowed by default.",
    value: "hosts")
  var allowedHosts: Hosts?

  @Flag(
    inversion: .prefixedNo,
    help: "Let pages of these origins send cookies and the browser's authentication.")
  var corsCredentials = false

  @Option(
    "The compression level of answers, from 1 (fastest) to 9 (smallest); 0 for no compression.",
    value: "level")
  var compressionLevel = CompressionLevel(1)

  @Option(
    help: .init(
      "The memory for the contents of answers that are sent again until something that they read is written; 0 caches none.",
      valueName: "size"))
  var responseCache = FileSize(16 << 20)

  @Flag(inversion: .prefixedNo, help: "Send the time that each answer took in Server-Timing.")
  var serverTiming = false

  @Flag(
    inversion: .prefixedNo,
    help: "Let clients subscribe to a request (text/event-stream) and get its result after each change.")
  var live = true

  @Flag(inversion: .prefixedNo, help: "Let clients see a request's SQL and query plans by explain=true.")
  var explain = true

  @Flag(inversion: .prefixedNo, help: "Let clients read the metrics at /-/metrics.")
  var metrics = true

  @Option(
    "SQLite: the number of connections for reading the database; 0 for 4 per processor but at least 16.",
    value: "n")
  var readers = OptionalLimit(0)

  @Option(
    "PostgreSQL: the maximum number of connections to each database, whatever they are for, at least 2.",
    value: "n")
  var connections = Limit(20)

  @Option(
    "What acknowledged writes survive: a power loss (full), or only the end of the process (normal).",
    value: "level")
  var durability = ConnectionConfiguration.Durability.full

  @Option("PostgreSQL: a standby that answers reads, as a URL; repeat it for several.", value: "url")
  var replica: [ReplicaURLs] = []

  @Option("PostgreSQL: how far a replica may be behind to answer reads.", value: "time")
  var replicaLag = TimeSpan(seconds: 10)

  @Option(
    "PostgreSQL: how long the start waits for a database that isn't there yet, while the port answers 503; 0 for no limit.",
    value: "time")
  var wait = TimeLimit(seconds: 30)

  @Option("How long requests in progress may take once the server is stopping.", value: "time")
  var shutdownTimeout = TimeSpan(seconds: 10)
}

/// What clients may send and hold, and how slowly.
struct ClientLimitSettings: ParsableArguments {
  @Option("The maximum number of connections.", value: "n")
  var maxConnections = Limit(1024)

  @Option(
    "The maximum number of connections from one address, and of simultaneous requests with the credentials of one client; 0 for no limit, as behind a proxy that --trusted-proxies doesn't name.",
    value: "n")
  var maxConnectionsPerClient = OptionalLimit(64)

  @Option(
    "The maximum requests per second with the credentials of one client, or from one address without; 0 for no limit.",
    value: "n")
  var maxRequestsPerSecond = OptionalLimit(0)

  @Option(
    "The maximum number of subscribed clients; 64 connections, or half if there are fewer than 128, are reserved for others.",
    value: "n")
  var maxListeners = Limit(10_000)

  @Option("The maximum length of a URL.", value: "size")
  var maxUrlSize = ByteCount(8 << 10)

  @Option("The maximum size of the header fields of a request.", value: "size")
  var maxHeaderSize = ByteCount(32 << 10)

  @Option("The maximum size of the content of a request.", value: "size")
  var maxBodySize = ByteCount(1 << 20)

  @Option("The maximum size of the content of an import, CSV or JSON Lines.", value: "size")
  var maxImportSize = ByteCount(1 << 30)

  @Option(
    "The memory for contents of requests: half for contents as received, of which one address may use three quarters, and half for what is made of them to carry them out. A content waits for its turn, and one that finds no room is refused.",
    value: "size")
  var maxContentMemory = ByteCount(128 << 20)

  @Option(
    "The temporary files for contents of requests and for results of slow clients; one address may use a quarter, and longer contents are refused. 0 allows none.",
    value: "size")
  var maxSpoolSize = FileSize(4 << 30)

  @Option("How long a client may take to send the header of a request.", value: "time")
  var headerTimeout = TimeSpan(seconds: 10)

  @Option(
    "How long a client may take to send the content of a request, or each --max-body-size of longer content.",
    value: "time")
  var bodyTimeout = TimeSpan(seconds: 60)

  @Option("The minimum rate of a transfer per second, on average over the idle timeout.", value: "size")
  var minTransferRate = ByteCount(100)

  @Option("How long a connection may be idle, or a transfer may stall.", value: "time")
  var idleTimeout = TimeSpan(seconds: 60)

  @Option(
    "How long a slow client may keep a result from being read to its end, once others wait for the connection or have written.",
    value: "time")
  var snapshotAge = TimeSpan(seconds: 10)
}

/// What is logged.
struct LogSettings: ParsableArguments {
  @Option("The form of the log: text, or json for an object per line.", value: "format")
  var logFormat = LogFormat.Form.text

  @Flag(inversion: .prefixedNo, help: "Log each request.")
  var logRequests = true

  @Flag(
    inversion: .prefixedNo,
    help: "Log queries and keys given by name, which contain values of records, with each request.")
  var logQueries = false
}

extension ServerSettings {
  /// The ``EverydayServerSettings/host`` as the system knows it: an IPv6 address without the brackets of a URL (RFC 3986 §3.2.2).
  var hostName: String {
    let host = everyday.host
    guard host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") else { return host }
    return String(host.dropFirst().dropLast())
  }

  /// The path of the Unix socket to listen on; nil for a TCP port.
  var unixSocketPath: String? {
    everyday.host.hasPrefix("unix:") ? String(everyday.host.dropFirst("unix:".count)) : nil
  }

  /// The configuration of TLS; nil for plain HTTP.
  var tls: TLSConfiguration? {
    guard let certificate = everyday.tlsCertificate, let key = everyday.tlsKey else { return nil }
    return TLSConfiguration(certificateFile: certificate, keyFile: key)
  }

  /// Returns the policy for pages of other origins; nil if none may use the server.
  ///
  /// - Throws: `ValidationError`
  func cors() throws -> CORSPolicy? {
    guard let origins = everyday.corsOrigins?.origins else { return nil }
    guard origins != .any || !everyday.writable else {
      throw ValidationError(
        "--cors-origins * and --writable together let every page that a visitor opens write to the database; "
          + "name the origins that may")
    }
    guard let policy = CORSPolicy(origins: origins, allowsCredentials: service.corsCredentials) else {
      throw ValidationError(
        "--cors-credentials requires named origins, because with * every page could act for its visitor")
    }
    return policy
  }

  /// Returns the host names by which clients may address the server.
  func hosts(for place: ListeningPlace) -> AllowedHosts {
    guard place.isLoopback else { return service.allowedHosts?.hosts ?? .any }
    let own = AllowedHosts.loopback.union(AllowedHosts([hostName.contains(":") ? "[\(hostName)]" : hostName]))
    return service.allowedHosts.map { own.union($0.hosts) } ?? own
  }

  /// The options of live results; nil if they are turned off.
  var liveOptions: LiveOptions? {
    guard service.live else { return nil }
    var options = LiveOptions()
    let connections = clients.maxConnections.count
    options.maximumListeners = min(clients.maxListeners.count, max(connections - 64, connections / 2))
    return options
  }

  /// The number of connections for reading an SQLite file.
  var readerCount: Int {
    service.readers.count ?? max(16, 4 * ProcessInfo.processInfo.activeProcessorCount)
  }

  /// The limits of the HTTP server.
  var limits: HTTPLimits {
    var limits = HTTPLimits()
    limits.trustedProxies = service.trustedProxies ?? .none
    limits.maxConnections = clients.maxConnections.count
    limits.maxTargetLength = clients.maxUrlSize.bytes
    limits.maxHeaderLength = clients.maxHeaderSize.bytes
    limits.maxBodyLength = clients.maxBodySize.bytes
    limits.maxLongBodyLength = clients.maxImportSize.bytes
    limits.headerReadTimeout = clients.headerTimeout.duration
    limits.maxConnectionsPerClient = clients.maxConnectionsPerClient.count
    limits.maxRequestsPerSecond = clients.maxRequestsPerSecond.count
    limits.bodyReadTimeout = clients.bodyTimeout.duration
    limits.minTransferRate = clients.minTransferRate.bytes
    limits.idleTimeout = clients.idleTimeout.duration
    return limits
  }
}
