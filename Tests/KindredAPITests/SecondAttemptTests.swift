import KindredBackend
import KindredHTTP
import KindredModel
import KindredPlanning
import KindredSQLite
import KindredSQLiteBackend
import Logging
import Synchronization
import TestSupport
import Testing

@testable import KindredAPI

/// A database whose next reads fail.
private final class FailingBackend: Backend {
  private let base: SQLiteBackend
  private let failures = Mutex<[any Error]>([])

  init(_ base: SQLiteBackend) { self.base = base }

  func fail(by failures: [any Error]) { self.failures.withLock { $0 = failures } }

  var isWritable: Bool { base.isWritable }
  var stateNumber: Int64? { base.stateNumber }
  var statistics: BackendStatistics { base.statistics }

  func tablesChanged(since earlier: Int64, until later: Int64) -> Set<String>? {
    base.tablesChanged(since: earlier, until: later)
  }

  func probe() throws { try base.probe() }

  func withSchema<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result { try base.withSchema(body) }

  func readers(_ count: Int) throws -> any ReaderPool { try base.readers(count) }

  func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>, Position?) -> Void
  ) { base.write(order, body, completion: completion) }

  func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let failure { throw failure }
    return try base.read(source, as: role, cancellation: cancellation, seconds: seconds)
  }

  func queueForReader(
    ofLongResult isLong: Bool, _ onGrant: @escaping @Sendable () -> Void
  ) -> KindredBackend.ReaderTicket { base.queueForReader(ofLongResult: isLong, onGrant) }

  func close() { base.close() }
}

/// The error of a statement that was planned for another schema.
private struct EarlierSchema: BackendError {
  var kind: BackendErrorKind { .defect }
  var isOfEarlierSchema: Bool { true }
  var description: String { "a column is gone" }
  func columns(of table: Table) -> [String] { [] }
}

@Suite("A second attempt")
struct SecondAttemptTests {
  private let directory: TemporaryDirectory
  private let service: KindredService

  private init(_ failures: [any Error]) throws {
    directory = try TemporaryDirectory()
    let pool = try ConnectionPool(path: try directory.database(), access: .readWrite, readers: 1)
    let backend = try FailingBackend(SQLiteBackend(pool))
    service = try KindredService(
      backend, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { source in Model(inferredFrom: try source.schema()) }
    backend.fail(by: failures)
  }

  init() throws { try self.init([]) }

  private func statuses(of target: String) -> [Int] {
    (0..<2).map { _ in service.answer(HTTPRequest(method: .get, target: target)).wait().status.code }
  }

  @Test
  func `a schema that has changed is met by a second attempt`() throws {
    #expect(try SecondAttemptTests([EarlierSchema()]).statuses(of: "/books") == [200, 200])
  }

  @Test
  func `a second attempt without a connection queues for one, whatever the first has met`() throws {
    let failures: [any Error] = [EarlierSchema(), ReaderSource.NoneFree()]
    #expect(try SecondAttemptTests(failures).statuses(of: "/books") == [200, 200])
  }

  @Test
  func `the error of the second attempt is the one that is reported`() throws {
    let failures: [any Error] = [EarlierSchema(), RequestError(.invalidValue, "the second")]
    let service = try SecondAttemptTests(failures).service
    let answer = try Answer(service.answer(HTTPRequest(method: .get, target: "/books")).wait())
    #expect(answer.status == 400 && answer.text.contains("the second"))
  }
}
