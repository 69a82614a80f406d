import ArgumentParser
import KindredAPI
import KindredBackend
import KindredHTTP
import KindredSQLite
import KindredSpooling
import KindredRequests
import Logging

/// The parts of a server as its settings determine them.
extension ServeCommand {
  /// The database that the settings name; nil for the sample library.
  var databasePath: String? { path ?? server.service.database }

  /// Checks settings that depend on one another.
  func checkSettings(_ mistakes: Mistakes) {
    if server.tls == nil, server.everyday.tlsCertificate != nil || server.everyday.tlsKey != nil {
      mistakes.add(ValidationError("--tls-certificate and --tls-key require each other"))
    }
    if server.tls == nil, server.service.tlsHsts {
      mistakes.add(ValidationError("--tls-hsts requires --tls-certificate and --tls-key"))
    }
    mistakes.attempt { _ = try server.cors() }
    mistakes.attempt { _ = try requests.sharedCursorKey() }
  }

  /// Returns where the server listens.
  ///
  /// - Parameter descriptors: the sockets that were handed over, which go before host and port.
  func place(_ descriptors: [CInt]) -> ListeningPlace {
    if !descriptors.isEmpty { return .descriptors(descriptors) }
    if let path = server.unixSocketPath { return .path(path, mode: server.service.socketMode.bits) }
    return .host(server.hostName, port: server.everyday.port.number)
  }

  /// Returns the options of the service, but for who may do what.
  ///
  /// - Throws: `ValidationError`
  func options(for place: ListeningPlace) throws -> KindredService.Options {
    var options = try requests.serviceOptions()
    options.basePath = server.service.basePath ?? .root
    options.hosts = server.hosts(for: place)
    options.cors = try server.cors()
    options.requiresHTTPS = server.service.tlsHsts
    options.compressionLevel = server.service.compressionLevel.level
    options.responseCache = server.service.responseCache.bytes
    options.tellsTiming = server.service.serverTiming
    options.showsPlans = server.service.explain
    options.showsMetrics = server.service.metrics
    options.version = Kindred.version
    options.logsQueries = server.log.logQueries
    if server.log.logRequests, server.everyday.logLevel <= .info {
      options.requestLog = LineRequestLog(output: .standardError)
    }
    options.isWritable = server.everyday.writable
    options.snapshotAge = Double(server.clients.snapshotAge.milliseconds) / 1000
    options.spools = ByteBudget(maximum: server.clients.maxSpoolSize.bytes)
    options.contents = ContentMemory(server.clients.maxContentMemory.bytes)
    options.servesExplorer = server.service.explorer
    options.droppedLogLines = { LogOutput.standardError.droppedLines }
    return options
  }

  /// Returns who may do what, as configured in the file and by the roles of the database.
  ///
  /// - Throws: `ValidationError`
  func access(_ configured: AccessConfiguration?, for location: DatabaseLocation) throws
    -> AccessConfiguration?
  {
    var access = configured
    try roles.add(to: &access, for: location)
    if let access, access.databaseRoles != nil, access.tokens == nil, access.keys.isEmpty {
      throw ValidationError(
        "--role-claim requires tokens or keys; configure them in the section `access` of the configuration file"
      )
    }
    return access
  }

  /// Checks that the database has the role of clients without a token, and lets the server's user take it.
  ///
  /// - Throws: `ValidationError`, and errors of the database.
  func checkAnonymousRole(in backend: any Backend) throws {
    guard let name = roles.anonymousRole else { return }
    do {
      let role = DatabaseRole(name: name, claims: "{}")
      let reading = try backend.read(.waiting, as: role, cancellation: nil, seconds: nil)
      defer { reading.close() }
      // The first statement, whichever it is, takes the role.
      _ = try reading.keepsAnswers()
    } catch let error as any BackendError {
      guard case .forbidden = error.kind else { throw error }
      throw ValidationError(
        "--anonymous-role: the database has no role `\(name)`, or its user isn't a member: GRANT \"\(name)\" TO the user of the URL"
      )
    }
  }

  /// Returns how the database is opened.
  ///
  /// - Throws: `ValidationError`
  func opening(for location: DatabaseLocation, _ logger: Logger) throws -> DatabaseLocation.Opening {
    var opening = DatabaseLocation.Opening()
    opening.replicas = server.service.replica.flatMap(\.targets)
    opening.replicaLag = Double(server.service.replicaLag.milliseconds) / 1000
    if location.path != nil, !opening.replicas.isEmpty {
      throw ValidationError("--replica names standbys of PostgreSQL, and the database is an SQLite file")
    }
    opening.isWritable = server.everyday.writable
    opening.readers = server.readerCount
    opening.connections = server.service.connections.count
    if location.path == nil {
      guard opening.connections > 1 else {
        throw ValidationError("--connections must be at least 2: one watches the database")
      }
      if server.service.readers.count != nil {
        logger.warning("--readers is for SQLite; --connections limits all connections to PostgreSQL.")
      }
    }
    opening.configuration = requests.connectionConfiguration
    opening.configuration.durability = server.service.durability
    // A request may wait for a connection as long as its query may run.
    opening.checkoutTimeout = requests.bounds.queryTimeout.span?.milliseconds ?? 60_000
    opening.notify = { notice in
      switch notice {
      case .failure(let text): logger.error("\(text)")
      case .change(let text): logger.notice("\(text)")
      }
    }
    return opening
  }
}
