import TestSupport
import Testing

@testable import KindredSQLite

@Suite("Temporary storage")
struct TemporaryStorageTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test
  func `it is in files where a directory can be written to`() {
    #expect(TemporaryStorage(candidates: ["/nowhere", directory.path]) == .files)
  }

  @Test(arguments: Restriction.possible)
  func `it is in memory where none can`(restriction: Restriction) throws {
    let path = directory.path
    let storage = try restriction.apply(to: path) { TemporaryStorage(candidates: ["/nowhere", path]) }
    #expect(storage == .memory)
  }
}
