import Kindred
import Testing

@Suite("Database values")
struct DatabaseValueTests {
  @Test("NULL is null")
  func null() {
    #expect(DatabaseValue.null.isNull)
  }
}
