import Kindred
import Testing

@Suite("Writes that return rows")
struct ReturningTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try Library.make()
    // Books that others refer to couldn't be deleted.
    try queue.write { db throws in try db.execute(sql: "DELETE FROM award; DELETE FROM coverImage") }
  }

  private var novels: QueryInterfaceRequest<Book> { Book.filter(Column("kind") == Book.Kind.novel) }

  @Test
  func `deleted records are returned as they were`() throws {
    try queue.write { db throws in
      #expect(try novels.deleteAndFetchSet(db).map(\.id).sorted() == [1, 2])
      #expect(try novels.deleteAndFetchAll(db).isEmpty)
      #expect(try Book.filter(id: 3).deleteAndFetchIds(db) == [3])
      #expect(try Book.orderByPrimaryKey().fetchAll(db).map(\.id) == [4, 5])
    }
  }

  @Test
  func `a cursor over deleted records deletes all of them`() throws {
    try queue.write { db throws in
      let first = try Book.all().deleteAndFetchCursor(db).next()
      #expect(first != nil)
      #expect(try Book.fetchCount(db) == 0)
    }
  }

  @Test
  func `updated records are returned as they are then`() throws {
    try queue.write { db throws in
      let all = try novels.updateAndFetchAll(db) { [$0.year += 1] }
      #expect(all.map(\.year).sorted() == [1852, 1925])
      #expect(try novels.updateAndFetchSet(db, [Column("price").set(to: 3)]).allSatisfy { $0.price == 3 })
      #expect(try novels.updateAndFetchSet(db) { [$0.price.set(to: 4)] }.allSatisfy { $0.price == 4 })
      #expect(try Array(novels.updateAndFetchCursor(db) { [$0.price.set(to: 5)] }).count == 2)
      #expect(try novels.updateAndFetchAll(db, []).isEmpty)
      #expect(try Book.filter(Column("price") == 5).fetchCount(db) == 2)
    }
  }

  @Test
  func `a statement returns the columns that a program chooses`() throws {
    try queue.write { db throws in
      let updated = try novels.updateAndFetchStatement(
        db, assignments: { [$0.year -= 1800] }, select: { [$0.title, ($0.year * 2).forKey("twice")] })
      let rows = try Row.fetchAll(updated)
      #expect(
        Set(rows) == [["title": "Moby-Dick", "twice": 102], ["title": "Billy Budd", "twice": 248]])
      let deleted = try Book.filter(id: 4).deleteAndFetchStatement(db) { [$0.title] }
      #expect(try String.fetchAll(deleted) == ["Hernani"])
    }
  }
}
