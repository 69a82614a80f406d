import Foundation
import KindredAPI
import KindredBackend
import KindredModel
import KindredModelFile
import KindredPostgreSQL
import KindredPostgreSQLBackend
import KindredSQLSyntax
import KindredSQLite
import KindredSQLiteBackend
import Logging
import TestSupport
import Testing

/// Two databases that differ only in what a client may not see answer it alike, byte for byte.
///
/// Each run has a new seed, which it prints; `KINDRED_TEST_SEED` repeats one, and `KINDRED_TEST_SECONDS` is how long each
/// database is tested (`make secrecy`).
@Suite("what is out of sight changes no answer", .serialized)
struct OutOfSightTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["KINDRED_TEST_SECONDS"].flatMap { Double($0) } ?? 2
  private static let seed =
    environment["KINDRED_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999_999)
  /// The number of requests to one pair of databases.
  private static let requests = 250

  @Test
  func `in SQLite`() throws {
    try compare("SQLite") { world, model in
      let directory = try TemporaryDirectory()
      let pool = try ConnectionPool(
        path: directory.path("world.db"), access: .readWriteCreate, readers: 2)
      try pool.withWriter { try $0.execute(world.sql(.sqlite)) }
      return (try service(of: SQLiteBackend(pool), model), directory)
    }
  }

  @Test(.enabled(if: Cluster.isAvailable))
  func `in PostgreSQL`() throws {
    try compare("PostgreSQL") { world, model in
      let target = try Cluster.database()
      let connection = try PostgreSQLConnection(target)
      for statement in world.sql(.postgreSQL).split(separator: ";\n") {
        _ = try connection.run([Query(String(statement), isReusable: false)])
      }
      let backend = try PostgreSQLBackend(
        PostgreSQLPool(target, size: 2, checkoutTimeout: 60_000), isWritable: true, engine: Cluster.engine)
      return (try service(of: backend, model), nil)
    }
  }

  /// Compares pairs of databases until the time is used up, at least one.
  ///
  /// - Parameter serve: Serves a world with a model, and returns what has to live as long as the service.
  private func compare(
    _ name: String,
    serve: (SecretWorld, ModelFile) throws -> (service: KindredService, owner: TemporaryDirectory?)
  ) throws {
    let end = Date(timeIntervalSinceNow: Self.seconds)
    var (seed, count) = (Self.seed, 0)
    repeat {
      var random = SeededRandom(seed: seed)
      let (seen, model) = (SecretWorld(&random), SecretModel(&random))
      var worlds: [(service: KindredService, owner: TemporaryDirectory?)] = []
      for _ in 0..<2 {
        var world = seen
        world.addSecrets(&random)
        worlds.append(try serve(world, try model.file(for: name)))
      }
      defer { for world in worlds { world.service.stop() } }
      for _ in 0..<Self.requests where Date() < end || count == 0 {
        let request = SecretRequest(&random, isSQLite: name == "SQLite")
        let answers = worlds.map { request.answers(of: $0.service) }
        count += 1
        #expect(answers[0] == answers[1], "seed \(seed) on \(name): \(request)")
        guard answers[0] == answers[1] else { return }
      }
      seed += 1
    } while Date() < end
    print("\(name): \(count) requests, seeds \(Self.seed) to \(seed - 1)")
  }

  private func service(of backend: any Backend, _ file: ModelFile) throws -> KindredService {
    var options = KindredService.Options()
    options.isWritable = true
    options.cursorKey = [UInt8](0..<32)
    var access = AccessConfiguration()
    access.keys = [.init(key: SecretRequest.key, roles: ["member"], claims: ["team": .integer(1)])]
    options.access = access
    return try KindredService(
      backend, options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { try file.model(of: $0) }
  }
}
