import Foundation
import KindredAPI
import KindredBackend
import KindredHTTP
import KindredSpooling
import Logging

/// A server with its database, from its start to its end, without the process around it.
final class Server {
  private let command: ServeCommand
  private let environment: Environment
  private let logger: Logger
  private let manager: ServiceManager?
  private var lifecycle = Lifecycle()
  private var running: Running?

  /// What a reload replaces.
  private struct Running {
    let service: ReloadableService
    let http: HTTPServer
    let location: DatabaseLocation
    var access: AccessConfiguration?
    var file: ConfigurationFile?
    var model: ModelDefinition
    let withSchema: (ModelDefinition) throws -> Void
  }

  init(_ command: ServeCommand, environment: Environment) throws {
    self.command = command
    self.environment = environment
    logger = Logger.kindred(level: command.server.everyday.logLevel)
    manager = try ServiceManager(environment)
  }

  // MARK: Start and end

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - undo: receives what has to be done if the process ends before the server listens.
  ///   - willListen: called before the server listens.
  /// - Returns: the line that says so.
  func start(
    whenInterrupted undo: (@escaping @Sendable () -> Void) -> Void = { _ in }, willListen: () -> Void = {}
  ) throws -> String {
    do {
      return try startParts(undo, willListen)
    } catch {
      lifecycle.stop()
      throw error
    }
  }

  private func startParts(
    _ undo: (@escaping @Sendable () -> Void) -> Void, _ willListen: () -> Void
  ) throws -> String {
    let descriptors = FileDescriptors.raiseLimit()
    let place = try command.place(HandedOverSockets.descriptors(environment))
    for warning in environment.warnings(Invocation.settings) { logger.warning("\(warning)") }
    let share = ByteBudget(maximum: command.server.clients.maxSpoolSize.bytes).share
    if command.server.everyday.writable, command.server.clients.maxImportSize.bytes > share {
      logger.warning(
        "Contents of requests are refused beyond a quarter of --max-spool-size, though --max-import-size allows more.",
        metadata: [
          "quarter": "\(FileSize(share))", "maxImportSize": "\(command.server.clients.maxImportSize)",
        ])
    }
    let contents = ContentMemory(command.server.clients.maxContentMemory.bytes).received.share
    if command.server.clients.maxBodySize.bytes > contents {
      logger.warning(
        "Contents of requests are refused beyond three eighths of --max-content-memory, though --max-body-size allows more.",
        metadata: [
          "part": "\(ByteCount(contents))", "maxBodySize": "\(command.server.clients.maxBodySize)",
        ])
    }
    let (path, model) = try named(undo)
    let location = try DatabaseLocation(path)
    let configured = try command.config.access()
    let access = try command.access(configured, for: location)
    var settings = command.server
    let opening = try command.opening(for: location, logger)
    let room = FileDescriptors.connections(
      within: descriptors, readers: opening.descriptors(at: location))
    if room < settings.clients.maxConnections.count {
      logger.warning(
        "The limit of open files allows \(room) connections instead of \(settings.clients.maxConnections.count); raise it with `ulimit -n`.",
        metadata: ["files": "\(descriptors)"])
      settings.clients.maxConnections = Limit(room)
    }
    var options = try command.options(for: place)
    options.live = settings.liveOptions
    options.access = access
    let (database, first) = try lifecycle.start({ [options] in
      try DatabaseWait(place: place, settings: settings, logger: logger).opened {
        let database = try location.open(opening, command.postgreSQL)
        do {
          try command.checkAnonymousRole(in: database.backend)
          return (
            database,
            try KindredService(database.backend, options: options, logger: logger, model: model.model)
          )
        } catch {
          database.backend.close()
          throw error
        }
      }
    }) { database, service in
      service.stop()
      database.backend.close()
    }
    if let notice = database.notice { logger.notice("\(notice)") }
    let service = ReloadableService(first)
    willListen()
    let http = HTTPServer(
      at: place, limits: settings.limits, tls: settings.tls, spools: options.spools,
      contents: options.contents.received, handler: service, logger: logger)
    first.reportCounters { http.counters }
    let address = try lifecycle.start(http.start) { _ in
      http.shutdown(grace: settings.service.shutdownTimeout.duration)
    }
    running = Running(
      service: service, http: http, location: location, access: access, file: command.config.file,
      model: model, withSchema: { model in _ = try database.backend.withSchema(model.model) })
    logger.info("serving", metadata: database.metadata)
    let exposure = NetworkExposure(of: command, at: place, access, model)
    for warning in exposure.warnings { logger.warning("\(warning)") }
    for notice in exposure.notices(of: first) + database.backend.statisticsNotices {
      logger.notice("\(notice)")
    }
    _ = lifecycle.start({ Watchdog(of: http, for: manager) }) { _ in }
    // Whoever waits for the line finds all in the log that is said at the start.
    LogOutput.standardError.flush()
    let line = "listening on \(Self.url(of: address, isSecure: settings.tls != nil))"
    manager?.notify("READY=1", "STATUS=\(line)")
    return line
  }

  /// Returns the database and its model: the ones that the command names, or the sample library.
  private func named(
    _ undo: (@escaping @Sendable () -> Void) -> Void
  ) throws -> (path: String, model: ModelDefinition) {
    let model = command.requests.everyday.model
    if let path = command.databasePath { return (path, try ModelDefinition(model)) }
    let sample = try lifecycle.start({ try SampleLibrary() }) { $0.remove() }
    undo { sample.remove() }
    let migrations = command.migrations.migrations
    try sample.create(migrations: migrations)
    guard model == nil else { return (sample.path, try ModelDefinition(model)) }
    return (sample.path, ModelDefinition(sample: try sample.modelFile(migrations: migrations)))
  }

  /// Ends everything in the reverse order of its start.
  func stop() {
    logger.info("ending")
    manager?.notify("STOPPING=1")
    running = nil
    lifecycle.stop()
  }

  private static func url(of address: HTTPServer.Address, isSecure: Bool) -> String {
    if let path = address.path { return "unix:\(path)" }
    // RFC 3986 §3.2.2
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return "\(isSecure ? "https" : "http")://\(host):\(address.port)"
  }

  // MARK: Reload

  /// Reads the model file, the credentials in the configuration file, the keys of tokens and the certificate again.
  ///
  /// Each is replaced unless something is wrong with it, which is logged.
  func reload() {
    guard let running else { return }
    manager?.notifyReloading()
    let reloaded = [reloadService(running), reloadCertificate(running)].flatMap { $0 }
    logger.notice(
      "\(reloaded.isEmpty ? "nothing was reloaded" : "reloaded: \(reloaded.joined(separator: ", "))")")
    manager?.notify("READY=1")
  }

  /// Returns what has been reloaded.
  private func reloadService(_ running: Running) -> [String] {
    var next = running
    var reloaded: [String] = []
    if let file = running.file, isRereadable(file.path) {
      attempt("the configuration file") {
        let renewed = try renewed(file)
        next.file = renewed
        next.access = try command.access(renewed.access?.configuration(), for: running.location)
        let changes = renewed.changes(since: file)
        if !changes.isEmpty {
          logger.notice("\(file.path): after a restart, \(changes.joined(separator: ", ")) will take effect")
        }
        reloaded.append("credentials")
      }
    }
    if let path = running.model.path, isRereadable(path) {
      attempt("the model file") {
        let model = try ModelDefinition(path)
        guard model.hasAccess || !running.model.hasAccess else {
          throw ConfigurationError(
            place: path,
            message:
              "it has no `access` any more, so everybody could read everything; restart the server if this is intended"
          )
        }
        try running.withSchema(model)
        next.model = model
        reloaded.append("model")
      }
    }
    if running.access?.tokens?.keys != nil { reloaded.append("keys of tokens") }
    guard !reloaded.isEmpty else { return [] }
    let isReloaded = attempt("the service") {
      try running.service.reload(access: next.access, model: next.model.model)
      self.running = next
      for notice in running.service.notices { logger.notice("\(notice)") }
    }
    return isReloaded ? reloaded : []
  }

  /// Returns the file as it is now.
  private func renewed(_ file: ConfigurationFile) throws -> ConfigurationFile {
    let mistakes = Mistakes()
    let renewed = try ConfigurationFile(path: file.path, mistakes)
    _ = renewed.arguments(for: Setting.all(of: command), among: Invocation.fileSettings, mistakes)
    try mistakes.check()
    guard renewed.access != nil || file.access == nil else {
      throw ConfigurationError(
        place: file.path,
        message:
          "the section `access` is missing, so everybody could do everything; restart the server if this is intended"
      )
    }
    return renewed
  }

  /// Returns what has been reloaded.
  private func reloadCertificate(_ running: Running) -> [String] {
    guard let files = command.server.tls, isRereadable(files.certificateFile), isRereadable(files.keyFile)
    else { return [] }
    return attempt("the certificate", running.http.reloadTLS) ? ["certificate"] : []
  }

  /// Returns whether `body` has reloaded a part.
  @discardableResult
  private func attempt(_ part: String, _ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      logger.error("\("\(part) could not be reloaded, the previous one stays in use: \(error)".singleLine)")
      return false
    }
  }

  /// Returns whether a file can be read again, which a pipe can't.
  private func isRereadable(_ path: String) -> Bool {
    var status = stat()
    // What is missing is an error of reading it.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR
    else {
      return true
    }
    logger.notice("\(path) is not a file that can be read again; it stays as it was at the start")
    return false
  }
}
