import ArgumentParser
import Foundation
import KindredAPI
import KindredAssociations
import KindredHTTP
import KindredModelFile
import KindredSQLite
import Logging

/// What every command that answers requests can be told.
///
/// A property here is all that a setting takes: `Setting` derives its names.
struct RequestSettings: ParsableArguments {
  @Option(help: .init("A model file over what is inferred from the schema.", valueName: "file"))
  var model: String?

  @Option(help: .init("Records of a page unless the request says how many; 0 for all.", valueName: "n"))
  var pageSize = PageSize(100)

  @Option(help: .init("Records of a page at most; 0 for any number.", valueName: "n"))
  var maxPageSize = PageSize(1000)

  @Option(help: .init("Levels of associations in a request.", valueName: "n"))
  var maxDepth = Limit(8)

  @Option(help: .init("Associations in a request.", valueName: "n"))
  var maxNodes = Limit(32)

  @Option(help: .init("Levels of an expression.", valueName: "n"))
  var maxExpressionDepth = Limit(64)

  @Option(help: .init("How long a request may read the database; 0 for ever.", valueName: "time"))
  var queryTimeout = TimeLimit(seconds: 10)

  @Option(help: .init("The SQL that a request may make.", valueName: "size"))
  var maxSqlSize = ByteCount(256 << 10)

  @Option(help: .init("The memory that the statements of a request may hold.", valueName: "size"))
  var maxQueryMemory = ByteCount(48 << 20)

  @Option(help: .init("The temporary files that the statements of a request may fill.", valueName: "size"))
  var maxTemporarySize = ByteCount(512 << 20)

  @Option(
    help: .init(
      "The key that seals the cursors of pages, 64 hexadecimal digits, for several servers and runs; a random one unless it is given.",
      valueName: "key"))
  var cursorKey: CursorKey?
}

extension RequestSettings {
  /// What the service is told.
  var serviceOptions: KindredService.Options {
    var options = KindredService.Options()
    options.limits.maximumPageSize = maxPageSize.records
    // So that --max-page-size alone is enough to have smaller pages.
    options.limits.pageSize = pageSize.records.map { min($0, maxPageSize.records ?? $0) }
    options.limits.treeDepth = maxDepth.count
    options.limits.nodes = maxNodes.count
    options.limits.expressionDepth = maxExpressionDepth.count
    options.limits.sqlLength = maxSqlSize.bytes
    options.queryTime = queryTimeout.span.map { Double($0.milliseconds) / 1000 }
    options.cursorKey = cursorKey?.bytes
    return options
  }

  /// How the connections are set up.
  var connectionConfiguration: ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    configuration.resourceLimits.memory = Int64(maxQueryMemory.bytes)
    configuration.resourceLimits.temporaryFiles = Int64(maxTemporarySize.bytes)
    configuration.resourceLimits.builtValue = 2 << 20
    return configuration
  }
}

extension RequestSettings {
  /// Reads the model of a database.
  func modelSource() throws -> @Sendable (any SchemaSource) throws -> Model {
    guard let model else { return { Model(inferredFrom: try $0.schema()) } }
    let file = try ModelFileReader(path: model).read()
    return { try file.model(of: $0) }
  }
}

/// What a server can be told beside.
struct ServerSettings: ParsableArguments {
  @Option(help: .init("The database file, where it is not named by an argument.", valueName: "file"))
  var database: String?

  @Option(help: .init("The address or name to listen on.", valueName: "host"))
  var host = "127.0.0.1"

  @Option(help: .init("The port to listen on; 0 picks a free one.", valueName: "port"))
  var port = Port(8080)

  @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Let clients write to the database.")
  var writable = false

  @Flag(inversion: .prefixedNo, help: "Whether browsers get the explorer's pages.")
  var explorer = true

  @Option(help: .init("The certificate and those between it and the root, in PEM form.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: .init("The private key of the certificate, in PEM form.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: .init(
      "The hosts by which clients may address the server, with commas between them; * for any. On a loopback address, localhost, 127.0.0.1 and [::1] always may; elsewhere any may by default.",
      valueName: "hosts"))
  var allowedHosts: Hosts?

  @Option(
    help: .init(
      "The origins whose pages may use the service, with commas between them; * for all.",
      valueName: "origins"))
  var corsOrigins: Origins?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether pages of the origins that are named may send cookies and the browser's authentication.")
  var corsCredentials = false

  @Option(
    help: .init(
      "How hard answers are compressed, from 1, fast, to 9, small; 0 for not at all.", valueName: "level"))
  var compressionLevel = CompressionLevel(1)

  @Flag(inversion: .prefixedNo, help: "Whether answers tell how long they took, in Server-Timing.")
  var serverTiming = false

  @Option(help: .init("The least severe messages that are logged.", valueName: "level"))
  var logLevel = Logger.Level.info

  @Flag(inversion: .prefixedNo, help: "Whether each request is logged.")
  var logRequests = true

  @Flag(
    inversion: .prefixedNo,
    help: "Whether clients may listen to a request (text/event-stream), to get its result after each change.")
  var live = true

  @Option(
    help: .init(
      "Clients that listen at the same time; 64 connections, or half of fewer, stay for others.",
      valueName: "n"))
  var maxListeners = Limit(10_000)

  @Flag(
    inversion: .prefixedNo,
    help: "Whether the lines of requests have the query and the keys by name, which hold values of records.")
  var logQueries = false

  @Flag(inversion: .prefixedNo, help: "Whether explain=true shows clients how a request is run.")
  var explain = true

  @Flag(inversion: .prefixedNo, help: "Whether clients may read the metrics, /-/metrics.")
  var metrics = true

  @Option(help: .init("Connections at the same time.", valueName: "n"))
  var maxConnections = Limit(1024)

  @Option(
    help: .init(
      "Connections of one client's address at the same time; 0 for any number, as for a server behind a proxy.",
      valueName: "n"))
  var maxConnectionsPerClient = OptionalLimit(64)

  @Option(
    help: .init("Requests of one client's address in a second, on average; 0 for any number.", valueName: "n")
  )
  var maxRequestsPerSecond = OptionalLimit(0)

  @Option(
    help: .init(
      "Connections for reading the database; 0 for ten to PostgreSQL, and to SQLite for four for each processor, and 16 at least.",
      valueName: "n")
  )
  var readers = OptionalLimit(0)

  @Option(help: .init("The longest URL.", valueName: "size"))
  var maxUrlSize = ByteCount(8 << 10)

  @Option(help: .init("The header fields of a request at most.", valueName: "size"))
  var maxHeaderSize = ByteCount(32 << 10)

  @Option(help: .init("The content of a request at most.", valueName: "size"))
  var maxBodySize = ByteCount(1 << 20)

  @Option(help: .init("The content of an import at most: CSV or JSON lines.", valueName: "size"))
  var maxImportSize = ByteCount(1 << 30)

  @Option(
    help: .init(
      "What an acknowledged write survives: full, the loss of power; normal, the end of the process.",
      valueName: "level"))
  var durability = ConnectionConfiguration.Durability.full

  @Option(help: .init("How long a client may take to send the header of a request.", valueName: "time"))
  var headerTimeout = TimeSpan(seconds: 10)

  @Option(
    help: .init(
      "How long a client may take to send the content of a request, or each size of longer ones.",
      valueName: "time"))
  var bodyTimeout = TimeSpan(seconds: 60)

  @Option(
    help: .init(
      "How many bytes a transfer must make in a second, on average over the idle time.", valueName: "size"))
  var minTransferRate = ByteCount(100)

  @Option(help: .init("How long a connection may be idle, or a transfer stand still.", valueName: "time"))
  var idleTimeout = TimeSpan(seconds: 60)

  @Option(
    help: .init("How long requests may take to end once the server is told to stop.", valueName: "time"))
  var shutdownTimeout = TimeSpan(seconds: 10)
}

extension ServerSettings {
  /// The certificate; nil where the server is to speak plain HTTP.
  var tls: TLSConfiguration? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return TLSConfiguration(certificateFile: tlsCertificate, keyFile: tlsKey)
  }

  /// What pages of other origins may do; nil where they may do nothing.
  ///
  /// - Throws: `ValidationError`
  func cors() throws -> CORSPolicy? {
    guard let origins = corsOrigins?.origins else { return nil }
    guard origins != .any || !writable else {
      throw ValidationError(
        "--cors-origins * and --writable together let every page that a visitor opens write to the database; "
          + "name the origins that may")
    }
    guard let policy = CORSPolicy(origins: origins, allowsCredentials: corsCredentials) else {
      throw ValidationError(
        "--cors-credentials needs origins that are named: with *, every page could act for its visitor")
    }
    return policy
  }

  /// The hosts by which clients may address the server.
  var hosts: AllowedHosts {
    guard HTTPServer.isLoopback(host: host) else { return allowedHosts?.hosts ?? .any }
    let own = AllowedHosts.loopback.union(AllowedHosts([host.contains(":") ? "[\(host)]" : host]))
    return allowedHosts.map { own.union($0.hosts) } ?? own
  }

  /// How results are kept live; nil where nobody may listen.
  var liveOptions: LiveOptions? {
    guard live else { return nil }
    var options = LiveOptions()
    let connections = maxConnections.count
    options.maximumListeners = min(maxListeners.count, max(connections - 64, connections / 2))
    return options
  }

  /// How many connections read the database.
  func readerCount(for location: DatabaseLocation) -> Int {
    if let count = readers.count { return count }
    return switch location {
    case .file: max(16, 4 * ProcessInfo.processInfo.activeProcessorCount)
    // Each is a process of the server, which other clients need too.
    case .postgreSQL: 10
    }
  }

  /// What the HTTP server is told.
  var limits: HTTPLimits {
    var limits = HTTPLimits()
    limits.maxConnections = maxConnections.count
    limits.maxTargetLength = maxUrlSize.bytes
    limits.maxHeaderLength = maxHeaderSize.bytes
    limits.maxBodyLength = maxBodySize.bytes
    limits.maxLongBodyLength = maxImportSize.bytes
    limits.headerReadTimeout = headerTimeout.duration
    limits.maxConnectionsPerClient = maxConnectionsPerClient.count
    limits.maxRequestsPerSecond = maxRequestsPerSecond.count
    limits.bodyReadTimeout = bodyTimeout.duration
    limits.minTransferRate = minTransferRate.bytes
    limits.idleTimeout = idleTimeout.duration
    return limits
  }
}
