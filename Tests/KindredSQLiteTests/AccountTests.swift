import Foundation
import Testing

@testable import KindredSQLite

@Suite("Accounts of what the statements of a connection hold")
struct AccountTests {
  private func connection(_ limits: (inout ResourceLimits) -> Void) throws -> Connection {
    var configuration = ConnectionConfiguration()
    limits(&configuration.resourceLimits)
    return try Connection(path: ":memory:", access: .readWriteCreate, configuration: configuration)
  }

  /// Sorts this number of texts of a hundred kilobytes each.
  private func sort(_ count: Int, on connection: Connection) throws {
    let statement = try connection.prepare(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      SELECT hex(randomblob(50000)) AS x FROM n ORDER BY x
      """)
    while try statement.step() {}
  }

  @Test
  func `memory beyond the limit is refused, and the next request has all of it again`() throws {
    let connection = try connection { $0.memory = 8 << 20 }
    for _ in 0..<2 {
      connection.account.charge {
        let error = #expect(throws: DatabaseError.self) {
          try connection.execute("SELECT length(zeroblob(5000000) || hex(zeroblob(4000000)))")
        }
        #expect(error?.interruption == .outOfMemory)
      }
      try connection.account.charge { try connection.execute("SELECT length(hex(zeroblob(1000000)))") }
    }
  }

  @Test
  func `an error that has another cause is not attributed to memory that was refused before`() throws {
    let connection = try connection { $0.memory = 8 << 20 }
    connection.account.charge {
      let refused = #expect(throws: DatabaseError.self) {
        try connection.execute("SELECT length(zeroblob(5000000) || hex(zeroblob(4000000)))")
      }
      #expect(refused?.interruption == .outOfMemory)
      let malformed = #expect(throws: DatabaseError.self) { try connection.execute("SELECT json('{')") }
      #expect(malformed != nil && malformed?.interruption == nil)
      connection.setDeadline(1)
      let late = #expect(throws: DatabaseError.self) { try connection.checkInterruption() }
      #expect(late?.interruption == .timedOut)
    }
  }

  @Test
  func `without an account nothing is refused`() throws {
    let connection = try connection { _ in }
    try connection.account.charge { try connection.execute("SELECT length(hex(zeroblob(20000000)))") }
  }

  @Test(.enabled(if: TemporaryStorage.available == .files))
  func `temporary files beyond the limit are refused`() throws {
    let connection = try connection { $0.temporaryFiles = 4 << 20 }
    connection.account.charge {
      let error = #expect(throws: DatabaseError.self) { try sort(200, on: connection) }
      #expect(error?.interruption == .outOfSpace)
    }
    try connection.account.charge { try sort(20, on: connection) }
  }

  @Test
  func `idle statements take no more than their cache may`() throws {
    var configuration = ConnectionConfiguration()
    configuration.statementCacheBytes = 100_000
    let connection = try Connection(path: ":memory:", access: .readWriteCreate, configuration: configuration)
    for number in 0..<40 {
      let terms = (0..<200).map { "\($0) + \(number)" }.joined(separator: ", ")
      try connection.withStatement("SELECT \(terms)") { _ in }
    }
    _ = connection.takeCacheCounts()
    for number in 0..<40 {
      let terms = (0..<200).map { "\($0) + \(number)" }.joined(separator: ", ")
      try connection.withStatement("SELECT \(terms)") { _ in }
    }
    #expect(connection.takeCacheCounts().hits == 0)
  }
}
