import Kindred
import Testing

@Suite("Comparisons of two columns")
struct ColumnComparisonTests {
  @Test
  func `a filter compares the columns of each record, not their names`() throws {
    let queue = DatabaseQueue()
    try queue.write { database in
      try database.execute(sql: "CREATE TABLE pair (a INTEGER, b INTEGER)")
      try database.execute(sql: "INSERT INTO pair VALUES (1, 1), (1, 2), (2, 2)")
      let pairs = Table("pair")
      #expect(try pairs.filter(Column("a") == Column("b")).fetchCount(database) == 2)
      #expect(try pairs.filter(Column("a") != Column("b")).fetchCount(database) == 1)
      #expect(try pairs.all().filter(Column("a") == Column("b")).fetchCount(database) == 2)
      #expect(try pairs.all().filter(Column("a") != Column("b")).fetchCount(database) == 1)
      #expect(try pairs.filter(true).fetchCount(database) == 3)
      #expect(try pairs.filter(false).fetchCount(database) == 0)
    }
  }
}
