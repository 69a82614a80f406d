import Foundation
import Kindred
import Testing

@Suite("Tables and migrations")
struct SchemaTests {
  private let queue = DatabaseQueue()

  private func createLibrary() throws {
    try queue.write { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.column("title", .text).notNull()
      }
    }
  }

  private func strings(_ sql: String) throws -> [String] {
    try queue.read { db in try String.fetchAll(db, sql: sql) }
  }

  private func foreignKeys(_ table: String) throws -> [Row] {
    try queue.read { db in
      try Row.fetchAll(
        db, sql: "SELECT \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list(?) ORDER BY seq",
        arguments: [table])
    }
  }

  @Test
  func `S54, S336: belongsTo makes the column, its index and a foreign key to the primary key`() throws {
    try createLibrary()
    #expect(try strings("SELECT name FROM pragma_table_info('book')") == ["id", "authorId", "title"])
    #expect(
      try foreignKeys("book") == [
        ["from": "authorId", "table": "author", "to": "id", "on_delete": "CASCADE"]
      ])
    #expect(try strings("SELECT name FROM pragma_index_list('book')") == ["book_on_authorId"])
    #expect(try strings("SELECT type FROM pragma_table_info('book') WHERE name = 'authorId'") == ["INTEGER"])
  }

  @Test
  func `S55: belongsTo another name in a table, also in the one that is being made`() throws {
    try queue.write { db in
      try db.create(table: "employee") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("manager", inTable: "employee", onDelete: .setNull)
      }
    }
    #expect(
      try foreignKeys("employee") == [
        ["from": "managerId", "table": "employee", "to": "id", "on_delete": "SET NULL"]
      ])
  }

  private func createCountries() throws {
    try queue.write { db in
      try db.create(table: "country") { t in
        t.primaryKey("code", .text)
        t.column("name", .text)
      }
      try db.create(table: "profile") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("country", onDelete: .cascade).notNull().unique()
      }
    }
  }

  @Test
  func `S56: the column is named by the primary key that it refers to`() throws {
    try createCountries()
    #expect(
      try foreignKeys("profile") == [
        ["from": "countryCode", "table": "country", "to": "code", "on_delete": "CASCADE"]
      ])
  }

  @Test
  func `S57: unique() allows one profile per country`() throws {
    try createCountries()
    try queue.write { db in
      try db.execute(
        sql: "INSERT INTO country VALUES ('FR', 'France'); INSERT INTO profile (countryCode) VALUES ('FR')")
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO profile (countryCode) VALUES ('FR')")
      }
    }
  }

  @Test
  func `S58: notNull() refuses a child without a parent`() throws {
    try createLibrary()
    #expect(throws: DatabaseError.self) {
      try queue.write { db in try db.execute(sql: "INSERT INTO book (title) VALUES ('Walden')") }
    }
  }

  @Test(arguments: [
    (ForeignKeyAction.cascade, [Int?]()), (.setNull, [nil]), (.setDefault, [nil]), (.restrict, [1]),
  ])
  func `S59: what happens on a deletion is declared`(action: ForeignKeyAction, left: [Int?]) throws {
    try queue.write { db in
      try db.create(table: "parent") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "child") { t in t.belongsTo("parent", onDelete: action) }
      try db.execute(sql: "INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1)")
    }
    try? queue.write { db in try db.execute(sql: "DELETE FROM parent") }
    #expect(try queue.read { db in try Int?.fetchAll(db, sql: "SELECT parentId FROM child") } == left)
  }

  @Test
  func `S60: primary keys are counted up, text, or of several columns`() throws {
    try createCountries()
    try queue.write { db in
      try db.create(table: "person") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "passport") { t in
        t.primaryKey {
          t.belongsTo("person")
          t.belongsTo("country")
        }
        t.column("issued", .date)
      }
      try db.create(table: "stamp") { t in
        t.column("page", .integer)
        t.column("place", .integer)
        t.primaryKey(["page", "place"])
        t.belongsTo("passport")
      }
    }
    let key = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
    let keys = try queue.read { db in
      try ["passport", "stamp"].map { try String.fetchAll(db, sql: key, arguments: [$0]) }
    }
    #expect(keys == [["personId", "countryCode"], ["page", "place"]])
    #expect(
      try foreignKeys("stamp").map { $0["from"] as String } == ["passportPersonId", "passportCountryCode"])
  }

  @Test
  func `S61, S62: columns with a primary key, an index and a reference`() throws {
    try queue.write { db in
      try db.create(table: "country") { t in
        t.column("code", .text).primaryKey()
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("countryCode", .text)
          .notNull()
          .indexed()
          .references("country", onDelete: .cascade)
        t.column("state", .text).defaults(to: "it's \"new\"").collate(.nocase)
        t.column("pages", .integer).check(sql: "pages > 0").defaults(to: 1)
      }
      try db.execute(sql: "INSERT INTO country VALUES ('FR'); INSERT INTO book (countryCode) VALUES ('FR')")
    }
    #expect(try strings("SELECT state FROM book WHERE state = 'IT''S \"NEW\"'") == ["it's \"new\""])
    #expect(
      try foreignKeys("book").map { $0["on_delete"] as String } == ["CASCADE"])
    #expect(try strings("SELECT name FROM pragma_index_list('book')") == ["book_on_countryCode"])
  }

  @Test
  func `S63: migrations run once, each in a transaction of its own`() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Books and Authors") { db in
      try db.create(table: "author") { t in t.autoIncrementedPrimaryKey("id") }
    }
    try migrator.migrate(queue)
    migrator.registerMigration("Library") { db in
      try db.create(table: "library") { t in t.autoIncrementedPrimaryKey("id") }
    }
    migrator.registerMigration("Failure") { db in
      try db.drop(table: "author")
      try db.execute(sql: "nonsense")
    }
    #expect(throws: DatabaseError.self) { try migrator.migrate(queue) }
    let (applied, isComplete) = try queue.read { db in
      (try migrator.appliedMigrations(db), try migrator.hasCompletedMigrations(db))
    }
    #expect(applied == ["Books and Authors", "Library"])
    #expect(!isComplete)
    #expect(try queue.read { db in try db.tableExists("AUTHOR") })
  }

  @Test
  func `S63: a migration that leaves a row without its parent is rolled back`() throws {
    try createLibrary()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Orphan") { db in
      try db.execute(sql: "INSERT INTO book (authorId, title) VALUES (7, 'Walden')")
    }
    let error = #expect(throws: DatabaseError.self) { try migrator.migrate(queue) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(
      error?.message == """
        FOREIGN KEY constraint violation - from book(authorId) to author(id), in the row 1, after the migration "Orphan"
        """)
    #expect(try strings("SELECT title FROM book") == [])
    // Foreign keys are enforced again.
    #expect(throws: DatabaseError.self) {
      try queue.write { db in try db.execute(sql: "INSERT INTO book (authorId, title) VALUES (7, '')") }
    }
  }

  @Test
  func `S63: a migrator with nothing to do does not wait for another process that writes`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("b") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    let (writing, migrating) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
    try migrator.migrate(writing)
    try writing.write { _ in try migrator.migrate(migrating) }
    #expect(try migrating.read { db in try migrator.hasCompletedMigrations(db) })
  }

  @Test
  func `S63: two migrations of one name are an error`() {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { _ in }
    migrator.registerMigration("a") { _ in }
    #expect(throws: DatabaseMigratorError.self) { try migrator.migrate(queue) }
  }

  @Test
  func `tables are altered, renamed and dropped; indexes are made and dropped`() throws {
    try createLibrary()
    try queue.write { db in
      try db.alter(table: "book") { t in
        t.add(column: "year", .integer).indexed()
        t.rename(column: "title", to: "name")
      }
      try db.create(index: "names", on: "book", columns: ["name", "year"], unique: true)
      try db.alter(table: "author") { t in t.drop(column: "name") }
      try db.rename(table: "book", to: "work")
      try db.drop(index: "book_on_year")
    }
    #expect(try strings("SELECT name FROM pragma_table_info('work')") == ["id", "authorId", "name", "year"])
    #expect(try strings("SELECT name FROM pragma_index_list('work')") == ["names", "book_on_authorId"])
  }

  @Test
  func `a table that belongs to none that is there is an error`() throws {
    #expect(throws: DatabaseError.self) {
      try queue.write { db in try db.create(table: "book") { t in t.belongsTo("author") } }
    }
  }

  @Test
  func `tables of an odd name, temporary, strict and without rowid`() throws {
    try queue.write { db in
      try db.create(table: "a \"b\"", options: [.strict, .withoutRowID, .ifNotExists]) { t in
        t.primaryKey("select", .text)
      }
      try db.create(table: "t", options: .temporary) { t in t.column("any") }
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO \"a \"\"b\"\"\" VALUES (NULL)")
      }
    }
    #expect(try strings("SELECT name FROM sqlite_temp_schema") == ["t"])
  }

  @Test
  func `tables exist that statements find: temporary ones, and those of attached databases, too`() throws {
    try queue.inDatabase { db in
      try db.create(table: "draft", options: .temporary) { t in t.column("any") }
      try db.execute(sql: "ATTACH ':memory:' AS \"other one\"; CREATE TABLE \"other one\".far (x)")
      try db.execute(sql: "CREATE VIEW looked AS SELECT 1")
      #expect(try db.tableExists("Draft"))
      #expect(try db.tableExists("far"))
      #expect(try !db.tableExists("looked"))
      try db.execute(sql: "DETACH \"other one\"")
      #expect(try !db.tableExists("far"))
    }
  }

  @Test
  func `a migrator goes on with the table in which GRDB recorded what has run`() throws {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('first'), ('gone');
          CREATE TABLE author (id INTEGER PRIMARY KEY);
          """)
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("first") { db in try db.execute(sql: "CREATE TABLE author (id)") }
    #expect(try queue.read { db in try migrator.appliedIdentifiers(db) } == ["first", "gone"])
    #expect(try queue.read { db in try migrator.hasCompletedMigrations(db) })
    migrator.registerMigration("second") { db in try db.execute(sql: "CREATE TABLE book (id)") }
    try migrator.migrate(queue)
    #expect(try queue.read { db in try migrator.appliedIdentifiers(db) } == ["first", "gone", "second"])
    let identifiers = try queue.read { db in
      try String.fetchSet(db, sql: "SELECT identifier FROM grdb_migrations")
    }
    #expect(identifiers == ["first", "gone", "second"])
    #expect(try queue.read { db in try !db.tableExists("kindred_named_migration") })
    try migrator.migrate(queue)
  }
}
