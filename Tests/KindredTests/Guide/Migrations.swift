import Kindred
import Testing

@Suite("The guide: migrations")
struct Migrations {
  static func migrator() -> DatabaseMigrator {
    // Sample: migrator
    var migrator = DatabaseMigrator()

    migrator.registerMigration("Countries and authors") { db in
      try db.create(table: "country") { t in
        t.primaryKey("code", .text)
        t.column("name", .text).notNull()
      }
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("birthYear", .integer)
        t.column("deathYear", .integer)
        t.belongsTo("country")  // countryCode
      }
    }

    migrator.registerMigration("Books") { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade)  // authorId
        t.column("title", .text).notNull()
        t.column("kind", .text).notNull()
        t.column("year", .integer).notNull()
        t.column("price", .double)
      }
    }
    // End

    migrator.registerMigration("More about authors and books") { db in
      // Sample: belongsTo
      try db.create(table: "portrait") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author").notNull().unique()  // one for each author
        t.column("path", .text).notNull()
      }
      try db.create(table: "citizenship") { t in
        t.primaryKey {
          t.belongsTo("author")
          t.belongsTo("country")
        }
      }
      try db.create(table: "topic") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("parent", inTable: "topic")  // parentId
        t.column("name", .text).notNull()
      }
      // End
      try db.create(table: "review") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("book").notNull()
        t.column("stars", .integer).notNull()
      }
    }
    return migrator
  }

  @Test
  func `migrations run once`() throws {
    let dbQueue = DatabaseQueue()
    let migrator = Self.migrator()
    // Sample: migrate
    try migrator.migrate(dbQueue)
    // End
    try migrator.migrate(dbQueue)
    let isComplete = try dbQueue.read { db in try migrator.hasCompletedMigrations(db) }
    #expect(isComplete)
  }

  @Test
  func `tables are changed`() throws {
    var migrator = Self.migrator()
    // Sample: alter
    migrator.registerMigration("Ratings") { db in
      try db.alter(table: "book") { t in
        t.add(column: "rating", .integer).check(sql: "rating BETWEEN 1 AND 5")
        t.rename(column: "kind", to: "genre")
      }
      try db.create(index: "book_on_genre", on: "book", columns: ["genre"])
    }
    // End
    let dbQueue = DatabaseQueue()
    try migrator.migrate(dbQueue)
    let columns = try dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('book')")
    }
    #expect(columns.suffix(4) == ["genre", "year", "price", "rating"])
  }

  @Test
  func `a database whose schema is made elsewhere needs none`() throws {
    let dbQueue = DatabaseQueue()
    try dbQueue.write { db throws in
      try db.execute(sql: "CREATE TABLE publisher (id INTEGER PRIMARY KEY, name TEXT)")
      #expect(try db.tableExists("publisher"))
    }
  }
}
