import Foundation
import Kindred
import Testing

@Suite("Selections of all columns but some, as SQL")
struct ExcludedColumnsTests {
  /// A record that leaves a column out.
  private struct Reader: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let databaseSelection: [any SQLSelectable] = [.allColumns(excluding: ["Secret"])]
    var id: Int64?
    var name: String
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "reader") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("secret", .text).defaults(to: "hidden")
      }
      try db.execute(sql: "INSERT INTO reader (name, secret) VALUES ('Ada', '1234')")
    }
  }

  @Test
  func `writes that return rows leave the columns out`() throws {
    try queue.write { db throws in
      var grace = try Reader(name: "Grace").insertAndFetch(db)
      #expect(grace == Reader(id: 2, name: "Grace"))
      grace = try grace.upsertAndFetch(db)
      #expect(grace == Reader(id: 2, name: "Grace"))
      grace.name = "Grace H."
      #expect(try grace.updateAndFetch(db) == grace)
      let columns = try Reader.all().updateAndFetchStatement(
        db, [Column("name").set(to: "A")], selection: Reader.databaseSelection
      ).columnNames
      #expect(columns == ["id", "name"])
      #expect(try Reader.filter(key: 2).deleteAndFetchAll(db) == [grace])
      let rest = try Row.fetchAll(
        Reader.all().deleteAndFetchStatement(db, selection: Reader.databaseSelection))
      #expect(rest == [["id": 1, "name": "Ada"]])
    }
  }

  @Test
  func `SQL literals leave the columns out`() throws {
    try queue.read { db throws in
      let literal: SQL = "SELECT \(columnsOf: Reader.self) FROM reader"
      #expect(try SQLRequest<Row>(literal: literal).fetchAll(db) == [["id": 1, "name": "Ada"]])
      let aliased: SQL = "SELECT \(columnsOf: Reader.self, tableAlias: "r") FROM reader r"
      #expect(try SQLRequest<Row>(literal: aliased).fetchAll(db) == [["id": 1, "name": "Ada"]])
      #expect(try literal.build(db).sql == #"SELECT "reader"."id", "reader"."name" FROM reader"#)
    }
  }

  @Test
  func `literals of requests leave the columns out`() throws {
    try queue.read { db throws in
      let columns = try Row.fetchOne(
        db, Table("reader").select(literal: "\(columnsOf: Reader.self), 1 AS one"))
      #expect(columns == ["id": 1, "name": "Ada", "one": 1])
      let selection: SQLSelection = .allColumns(excluding: ["secret"])
      let row = try Row.fetchOne(db, Table("reader").select(literal: "\(selection), 2 AS two"))
      #expect(row == ["id": 1, "name": "Ada", "two": 2])
    }
  }

  @Test
  func `without a database, no statement returns the columns`() throws {
    #expect(!Reader.selectionSQL().contains("*"))
    try queue.read { db throws in
      let error = #expect(throws: DatabaseError.self) {
        try Row.fetchOne(db, sql: "SELECT \(Reader.selectionSQL()) FROM reader")
      }
      #expect(error?.message?.contains("needs a database") == true)
    }
  }

  @Test
  func `expressions that need the schema are returned by writes`() throws {
    try queue.write { db throws in
      var reader = Reader(name: "Alan")
      let row = try reader.insertAndFetch(
        db, selection: [Column("id"), (Column("id") + 1).forKey("next"), .allColumns(excluding: ["id"])]
      ) { try Row.fetchOne($0) }
      #expect(row == ["id": 2, "next": 3, "name": "Alan", "secret": "hidden"])
    }
  }
}
