import ArgumentParser
import KindredAPI
import KindredBackend
import KindredHTTP
import KindredSQLite
import Logging

/// The command `kindred serve`.
struct ServeCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a database over HTTP.",
    discussion: """
      Without DATABASE, a new sample library is created in a temporary file and served until the server ends.

      Every option can also be set in the environment, and all but --config in the configuration file: --page-size is \
      KINDRED_PAGE_SIZE and pageSize, --tls-key is KINDRED_TLS_KEY and key in the section tls. Options override the \
      environment, which overrides the file.

      SIGTERM and SIGINT end the server once the requests in progress are answered; a second signal ends it at once. \
      SIGHUP reloads the certificate.

      Examples:
        kindred serve
        kindred serve chinook.db --port 0
        kindred serve chinook.db --writable
        kindred serve postgres://reader@db.example/library
        kindred serve chinook.db --host 0.0.0.0 --page-size 20 --query-timeout 500ms
        KINDRED_PORT=9000 kindred serve chinook.db
        kindred serve chinook.db --config /etc/kindred/kindred.yaml
        curl 'http://127.0.0.1:8080/authors?include=books&limit=1'
      """)

  @Argument(
    help: .init(
      "The database, an SQLite file or a PostgreSQL URL; by default, the sample library.",
      valueName: "database"))
  var path: String?

  @OptionGroup(title: "Server") var server: ServerSettings
  @OptionGroup(title: "Requests") var requests: RequestSettings
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings
  @OptionGroup(title: "PostgreSQL") var roles: DatabaseRoleSettings
  @OptionGroup(title: "Files") var config: ConfigurationOptions
  @OptionGroup(title: "Files") var migrations: MigrationSettings

  func run() throws {
    // Not in `validate`, which also runs before the environment and the file are applied.
    if server.tls == nil, server.tlsCertificate != nil || server.tlsKey != nil {
      throw ValidationError("--tls-certificate and --tls-key require each other")
    }
    if server.tls == nil, server.tlsHsts {
      throw ValidationError("--tls-hsts requires --tls-certificate and --tls-key")
    }
    // Before any thread is started, because threads inherit the signal mask.
    let signals = Signals()
    let descriptors = FileDescriptors.raiseLimit()
    var server = server
    var options = requests.serviceOptions
    options.hosts = server.hosts
    options.cors = try server.cors()
    options.requiresHTTPS = server.tlsHsts
    options.compressionLevel = server.compressionLevel.level
    options.tellsTiming = server.serverTiming
    options.showsPlans = server.explain
    options.showsMetrics = server.metrics
    options.logsQueries = server.logQueries
    if server.logRequests, server.logLevel <= .info {
      options.requestLog = LineRequestLog(output: .standardError)
    }
    options.isWritable = server.writable
    options.snapshotAge = Double(server.snapshotAge.milliseconds) / 1000
    options.spools = SpoolBudget(maximum: server.maxSpoolSize.bytes)
    options.servesExplorer = server.explorer
    options.access = try config.access()
    options.droppedLogLines = { LogOutput.standardError.droppedLines }
    let logger = Logger.kindred(level: server.logLevel)
    for warning in Environment.current.warnings(Invocation.settings) { logger.warning("\(warning)") }

    let named = path ?? server.database
    let sample = try named == nil ? SampleLibrary() : nil
    defer { sample?.remove() }
    if let sample {
      signals.whenInterrupted { sample.remove() }
      try sample.create(migrations: migrations.migrations)
    }
    guard let path = named ?? sample?.path else { return }
    var opening = DatabaseLocation.Opening()
    opening.isWritable = server.writable
    opening.configuration = requests.connectionConfiguration
    opening.configuration.durability = server.durability
    // A request may wait for a connection as long as its query may run.
    opening.checkoutTimeout = Int((options.queryTime ?? 60) * 1000)
    opening.notify = { notice in
      switch notice {
      case .failure(let text): logger.error("\(text)")
      case .change(let text): logger.notice("\(text)")
      }
    }
    let location = try DatabaseLocation(path)
    try roles.add(to: &options.access, for: location)
    if let access = options.access, access.databaseRoles != nil, access.tokens == nil, access.keys.isEmpty {
      throw ValidationError(
        "--role-claim requires tokens or keys; configure them in the section `access` of the configuration file"
      )
    }
    opening.readers = server.readerCount(for: location)
    let room = FileDescriptors.connections(within: descriptors, readers: opening.readers)
    if room < server.maxConnections.count {
      logger.warning(
        "The limit of open files allows \(room) connections instead of \(server.maxConnections.count); raise it with `ulimit -n`.",
        metadata: ["files": "\(descriptors)"])
      server.maxConnections = Limit(room)
    }
    options.live = server.liveOptions
    let database = try location.open(opening, postgreSQL)
    defer { database.backend.close() }
    if let notice = database.notice { logger.notice("\(notice)") }
    let service = try KindredService(
      database.backend, options: options, logger: logger, model: requests.modelSource())
    signals.serverIsStarting()
    let http = HTTPServer(
      host: server.hostName, port: server.port.number, limits: server.limits, tls: server.tls,
      spools: options.spools, handler: service, logger: logger)
    service.reportCounters { http.counters }
    defer { service.stop() }
    let address = try http.start()
    defer { http.shutdown(grace: server.shutdownTimeout.duration) }
    try StandardOutput.writeLine(
      "listening on \(Self.url(of: address, isSecure: server.tls != nil))")
    logger.info("serving", metadata: database.metadata)
    signals.waitForEnd {
      guard server.tls != nil else {
        logger.notice("there is nothing to reload, as the server has no certificate")
        return
      }
      do {
        try http.reloadTLS()
        logger.notice("the certificate was reloaded")
      } catch {
        logger.error("the certificate could not be reloaded, the previous one stays in use: \(error)")
      }
    }
    logger.info("ending")
  }

  private static func url(of address: HTTPServer.Address, isSecure: Bool) -> String {
    // RFC 3986 §3.2.2
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return "\(isSecure ? "https" : "http")://\(host):\(address.port)"
  }
}
