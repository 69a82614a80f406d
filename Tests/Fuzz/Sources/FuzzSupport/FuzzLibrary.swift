import Foundation
import KindredAPI
import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredModelFile
import KindredSQLite
import Logging
import OrderedCollections

/// A small library with something of everything, and the services on it.
///
/// The programs run in the package's directory, where `Library` is.
public final class FuzzLibrary {
  private let pool: ConnectionPool
  private let model: ModelFile
  private let service: KindredService
  /// Another process's connection, as it were: it sees what has been committed.
  private let observer: Connection
  private var version: Int64

  /// A library in a file of the temporary directory, which `run` removes.
  ///
  /// - Parameter secret: that of the tokens by which clients are known; nil where nobody asks who they are.
  public init(isWritable: Bool = false, secret: [UInt8]? = nil) {
    do {
      try SQLiteLibrary.initialize()
      let path = NSTemporaryDirectory() + "fuzz-\(UUID().uuidString).sqlite"
      observer = try Connection(path: path, access: .readWriteCreate)
      // Nothing here has to outlive the process.
      try observer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = off")
      try observer.execute(Self.text("schema.sql"))
      try observer.execute(Self.text("records.sql"))
      pool = try ConnectionPool(
        path: path, access: isWritable ? .readWrite : .readOnly, readers: 1, configuration: Self.configuration
      )
      model = try ModelFileReader(path: "Library/model.yaml").read()
      service = try Self.service(on: pool, model, isWritable, secret)
      version = try observer.dataVersion
    } catch {
      fatalError("no library: \(error)")
    }
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: "Library/\(name)", encoding: .utf8)
  }

  /// Whether the service has committed something.
  public var hasChanged: Bool { (try? observer.dataVersion) != version }

  /// Whether all foreign keys lead somewhere.
  public var isSound: Bool {
    (try? observer.withStatement("PRAGMA foreign_key_check") { try !$0.step() }) ?? false
  }

  /// Puts all records back.
  public func restore() {
    do {
      try observer.execute(Self.text("records.sql"))
      version = try observer.dataVersion
    } catch {
      fatalError("the library can't be restored: \(error)")
    }
  }

  /// The answer of the library's service.
  public func answer(_ request: HTTPRequest) -> FuzzAnswer { FuzzAnswer(service.respond(to: request)) }

  /// The answer of a service that nobody has asked yet.
  public func answerAnew(_ request: HTTPRequest) -> FuzzAnswer {
    do {
      return FuzzAnswer(try Self.service(on: pool, model, false).respond(to: request))
    } catch {
      fatalError("no second service: \(error)")
    }
  }

  /// Has everything that a model makes of the library asked for.
  ///
  /// - Throws: what is wrong with the file.
  public func serve(_ file: ModelFile) throws {
    let model = try pool.withReader { try file.model(of: $0) }
    let service = try Self.service(on: pool, file, false)
    func check(_ target: String) {
      FuzzAnswer(service.respond(to: HTTPRequest(method: .get, target: target))).check()
    }
    check("/")
    check("/-/openapi.json")
    for resource in model.resources.values {
      let name = percentEncoded(resource.name)
      check("/\(name)?limit=1")
      for association in resource.associations.values {
        check("/\(name)?limit=2&include=\(percentEncoded(#""\#(association.key)""#))")
      }
    }
  }

  private static func service(
    on pool: ConnectionPool, _ file: ModelFile, _ isWritable: Bool, _ secret: [UInt8]? = nil
  ) throws -> KindredService {
    var options = KindredService.Options()
    if let secret {
      var tokens = AccessConfiguration.Tokens(algorithms: [.hs256])
      tokens.secret = secret
      options.access = AccessConfiguration()
      options.access?.tokens = tokens
    }
    options.isWritable = isWritable
    options.queryTime = 2
    // The links to next pages are part of what is compared.
    options.cursorKey = [UInt8](repeating: 7, count: 32)
    return try KindredService(SQLiteBackend(pool), options: options, logger: logger) {
      try file.model(of: $0)
    }
  }

  /// The limits of a server.
  private static var configuration: ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    configuration.resourceLimits.memory = 48 << 20
    configuration.resourceLimits.temporaryFiles = 64 << 20
    configuration.resourceLimits.builtValue = 2 << 20
    return configuration
  }

  /// Shows defects, whose answers do not say what they are.
  private static var logger: Logger {
    var logger = Logger(label: "fuzz") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    return logger
  }
}
