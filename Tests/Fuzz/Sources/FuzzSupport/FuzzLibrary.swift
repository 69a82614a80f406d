import Foundation
import KindredAPI
import KindredModel
import KindredPlanning
import KindredBackend
import KindredCryptography
import KindredSQLiteBackend
import KindredHTTP
import KindredModelFile
import KindredSQLite
import Logging
import OrderedCollections

/// A small database with unusual columns, keys and values, and services on it.
///
/// The programs must run in the package's directory, which contains `Library`.
public final class FuzzLibrary {
  private let pool: ConnectionPool
  private let model: ModelFile
  private let service: KindredService
  /// A separate connection, which sees what has been committed.
  private let observer: Connection
  private var version: Int64

  /// Creates the database in the temporary directory, which `run` removes.
  ///
  /// - Parameter secret: the secret that signs tokens; nil for no authentication.
  public init(isWritable: Bool = false, secret: [UInt8]? = nil) {
    do {
      try SQLiteLibrary.initialize()
      let path = NSTemporaryDirectory() + "fuzz-\(UUID().uuidString).sqlite"
      observer = try Connection(path: path, access: .readWriteCreate)
      // The data need not survive the process.
      try observer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = off")
      try observer.execute(Self.text("schema.sql"))
      try observer.execute(Self.text("records.sql"))
      pool = try ConnectionPool(
        path: path, access: isWritable ? .readWrite : .readOnly, readers: 1, configuration: Self.configuration
      )
      model = try ModelFileReader(path: "Library/model.yaml").read()
      let tokens = secret.map { secret in
        var tokens = AccessConfiguration.Tokens(algorithms: [.hs256])
        tokens.secret = secret
        return tokens
      }
      service = try Self.service(on: pool, model, isWritable, tokens)
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

  /// Whether no foreign key is violated.
  public var isSound: Bool {
    (try? observer.withStatement("PRAGMA foreign_key_check") { try !$0.step() }) ?? false
  }

  /// Restores all records.
  public func restore() {
    do {
      try observer.execute(Self.text("records.sql"))
      version = try observer.dataVersion
    } catch {
      fatalError("the library can't be restored: \(error)")
    }
  }

  /// Returns the answer of the library's service.
  public func answer(_ request: HTTPRequest) -> FuzzAnswer { FuzzAnswer(service.respond(to: request)) }

  /// Returns the answer of a new service, whose caches are empty.
  public func answerAnew(_ request: HTTPRequest) -> FuzzAnswer {
    do {
      return FuzzAnswer(try Self.service(on: pool, model, false).respond(to: request))
    } catch {
      fatalError("no second service: \(error)")
    }
  }

  /// Returns the answer of a service that verifies tokens with this set of keys, or nil if it is none.
  public func answer(_ request: HTTPRequest, keys: [UInt8]) -> FuzzAnswer? {
    let path = NSTemporaryDirectory() + "fuzz-keys.json"
    guard FileManager.default.createFile(atPath: path, contents: Data(keys)) else {
      fatalError("the keys can't be written")
    }
    var tokens = AccessConfiguration.Tokens(algorithms: Set(SignatureAlgorithm.allCases))
    tokens.keys = .file(path)
    guard let service = try? Self.service(on: pool, model, false, tokens) else { return nil }
    return FuzzAnswer(service.respond(to: request))
  }

  /// Requests every resource and association of the model that a file defines.
  ///
  /// - Throws: `ModelFileError` for an invalid file.
  public func serve(_ file: ModelFile) throws {
    let model = try SQLiteBackend(pool).withSchema { try file.model(of: $0) }
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
    on pool: ConnectionPool, _ file: ModelFile, _ isWritable: Bool,
    _ tokens: AccessConfiguration.Tokens? = nil
  ) throws -> KindredService {
    var options = KindredService.Options()
    if let tokens {
      options.access = AccessConfiguration()
      options.access?.tokens = tokens
    }
    options.isWritable = isWritable
    options.queryTime = 2
    // Links to next pages are compared, too, so their key must be the same.
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

  /// Logs defects, whose answers have no details.
  private static var logger: Logger {
    var logger = Logger(label: "fuzz") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    return logger
  }
}
