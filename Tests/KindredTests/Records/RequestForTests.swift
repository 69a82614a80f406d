import Kindred
import Testing

@Suite("Requests of associated records")
struct RequestForTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  @Test
  func `S18, S22, S23, S24, S80, S81, S82, S86: request(for:) gives the associated records of one`() throws {
    let library = try Library.make()
    try library.expect(
      Library.mobyDick.author.select(Column("name")),
      sql: """
        SELECT "author"."name" FROM "author" WHERE "author"."id" = 1
        """,
      rows: #"[name:"Melville"]"#)
    try library.expect(
      Library.hugo.books.select(Column("title")),
      sql: """
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = 2
        """,
      rows: #"[title:"Hernani"]"#)
    try library.expect(
      Library.mobyDick.coverImage.select(Column("path")),
      sql: """
        SELECT "coverImage"."path" FROM "coverImage" WHERE "coverImage"."bookId" = 1
        """,
      rows: #"[path:"moby.png"]"#)
    try library.expect(
      Library.melville.awards.select(Column("name")).order(Column("id")),
      sql: """
        SELECT "award"."name" FROM "book" JOIN "award" ON "award"."bookId" = "book"."id"
          WHERE "book"."authorId" = 1 ORDER BY "award"."id"
        """,
      rows: """
        [name:"Whale"]
        [name:"Sea"]
        """)
    try read { db throws in
      #expect(try Library.mobyDick.author.fetchOne(db) == Library.melville)
      #expect(try Library.beowulf.author.fetchOne(db) == nil)
      #expect(
        Set(try Library.melville.books.fetchAll(db)) == [Library.mobyDick, Library.billyBudd, Library.clarel])
      #expect(try Library.mobyDick.coverImage.fetchOne(db)?.path == "moby.png")
      #expect(try Library.clarel.coverImage.fetchOne(db) == nil)
      #expect(Set(try Library.melville.awards.fetchAll(db).map(\.name)) == ["Whale", "Sea"])
    }
  }

  @Test
  func `S83: requests of associated records are refined like others`() throws {
    try read { db throws in
      let novels = Library.melville.books.filter(Column("kind") == Book.Kind.novel).order(Column("year").desc)
      #expect(try novels.fetchAll(db) == [Library.billyBudd, Library.mobyDick])
      #expect(try Library.melville.books.filter { $0.kind == "poems" }.fetchAll(db) == [Library.clarel])
      struct Info: Decodable, FetchableRecord {
        var book: Book
        var author: Author
      }
      let infos = try Info.fetchAll(db, Library.hugo.books.including(required: Book.author))
      #expect(infos.map(\.author) == [Library.hugo])
    }
  }

  @Test
  func `S65, S66, S67: NULL in a foreign key matches nothing, even in one of several columns`() throws {
    struct Parent: Codable, FetchableRecord, PersistableRecord {
      var a: Int?
      var b: Int?
      static let children = hasMany(Child.self)
    }
    struct Child: Codable, FetchableRecord, PersistableRecord {
      var parentA: Int?
      var parentB: Int?
      static let parent = belongsTo(Parent.self)
      static let explicit = belongsTo(
        Parent.self, using: ForeignKey(["parentA", "parentB"], to: ["a", "b"]))
    }
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE parent (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
          CREATE TABLE child (parentA INTEGER, parentB INTEGER, FOREIGN KEY (parentA, parentB) REFERENCES parent);
          """)
      try Parent(a: 1, b: nil).insert(db)
      try Parent(a: 1, b: 2).insert(db)
      try Child(parentA: 1, parentB: nil).insert(db)
      try Child(parentA: 1, parentB: 2).insert(db)
      #expect(try Child(parentA: 1, parentB: nil).request(for: Child.parent).fetchCount(db) == 0)
      #expect(try Parent(a: 1, b: nil).request(for: Parent.children).fetchCount(db) == 0)
      #expect(try Child.joining(required: Child.parent).fetchCount(db) == 1)
      #expect(try Child.joining(required: Child.explicit).fetchCount(db) == 1)
      let rows = try Row.fetchAll(db, Parent.including(all: Parent.children))
      #expect(rows.map { $0.prefetchedRows["children"]?.count } == [0, 1])
    }
    try queue.expect(
      Child.including(optional: Child.parent),
      sql: """
        SELECT "child"."parentA", "child"."parentB", "parent"."a", "parent"."b"
          FROM "child" LEFT JOIN "parent" ON "parent"."a" = "child"."parentA"
          AND "parent"."b" = "child"."parentB"
        """,
      rows: """
        [parentA:1, parentB:NULL] parent: [a:NULL, b:NULL]
        [parentA:1, parentB:2] parent: [a:1, b:2]
        """)
  }

  @Test
  func `S8: a record that is only encoded has requests, whose fetch fails if it lacks the key`() throws {
    struct Partial: Encodable, EncodableRecord, TableRecord {
      static let databaseTableName = "book"
      static let author = belongsTo(Author.self)
      var title: String
    }
    struct Reference: Encodable, EncodableRecord, TableRecord {
      static let databaseTableName = "book"
      static let author = belongsTo(Author.self)
      var authorId: Int64
    }
    #expect(
      try read { db in try Reference(authorId: 2).request(for: Reference.author).fetchOne(db) }
        == Library.hugo)
    let request = Partial(title: "Moby-Dick").request(for: Partial.author)
    #expect(throws: AssociationError.missingColumn("authorId", table: "book")) {
      try read { db in try request.fetchOne(db) }
    }
  }
}
