import KindredHTTP
import KindredModelFile
import Testing

@testable import KindredAPI

@Suite("/-/schema and /-/schema.json")
struct SchemaDocumentTests {
  private func resource(_ name: String, in database: TestDatabase) throws -> [String: Any] {
    let schema = try #require(try database.document("/-/schema") as? [String: Any])
    let resources = try #require(schema["resources"] as? [[String: Any]])
    return try #require(resources.first { $0["name"] as? String == name })
  }

  private func association(
    _ key: String, of resource: String, in database: TestDatabase
  ) throws -> [String: Any] {
    let associations = try #require(
      try self.resource(resource, in: database)["associations"] as? [[String: Any]])
    return try #require(associations.first { $0["key"] as? String == key })
  }

  @Test
  func `an association knows its way back and the foreign key that it comes from`() throws {
    let database = try Library.database()
    let books = try association("books", of: "authors", in: database)
    #expect(books["inverse"] as? String == "author")
    #expect(books["origin"] as? String == "book.authorId")
    #expect(books["columns"] as? [String: String] == ["id": "authorId"])
    let tags = try association("tags", of: "books", in: database)
    #expect(tags["inverse"] as? String == "books")
    #expect(tags["origin"] as? String == "bookTag.bookId, bookTag.tagId")
  }

  @Test
  func `unique keys are shown as far as their columns are`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE, first TEXT, last TEXT, UNIQUE (first, last));
      """, modelFile: "resources: { people: { hidden: [email] } }")
    let keys = try resource("people", in: database)["uniqueKeys"] as? [[String]]
    #expect(Set(keys ?? []) == [["id"], ["first", "last"]])
  }

  @Test
  func `an association of the model file names the line that defines it`() throws {
    let database = try TestDatabase(
      Library.schema,
      modelFile: """
        resources:
          authors:
            associations:
              novels: { from: books, filter: kind = 'novel' }
        """)
    let novels = try association("novels", of: "authors", in: database)
    #expect(novels["origin"] as? String == "model.yaml:4")
    #expect(novels["isFiltered"] as? Bool == true)
    #expect(try association("books", of: "authors", in: database)["isFiltered"] == nil)
  }

  @Test
  func `the default selection has no column that its reader may not read`() throws {
    let database = try TestDatabase(
      "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, price REAL);",
      modelFile: """
        resources:
          books: { fields: [title, price, id], access: { read: { fields: [id, title] } } }
        """)
    #expect(try resource("books", in: database)["fields"] as? [String] == ["title", "id"])
  }

  @Test
  func `a record is shown by the model file's label, a name, a title, or the first unique text`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, TITLE TEXT, Name TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY, "Title" TEXT);
      CREATE TABLE c (id INTEGER PRIMARY KEY, word TEXT, code TEXT UNIQUE);
      CREATE TABLE d (id INTEGER PRIMARY KEY, word TEXT);
      CREATE TABLE e (id INTEGER PRIMARY KEY, name TEXT, code TEXT);
      """, modelFile: "resources: { es: { label: CODE } }")
    for (name, label) in [("as", "Name"), ("bs", "Title"), ("cs", "code"), ("ds", nil), ("es", "code")] {
      #expect(try resource(name, in: database)["label"] as? String == label, "\(name)")
    }
  }

  @Test
  func `each column says how its values are written`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE thing (id INTEGER PRIMARY KEY, name VARCHAR(9), price NUMERIC, day DATE, at DATETIME, time TIME,
        done BOOL, meta JSON, bytes BLOB, loose, twice INTEGER GENERATED ALWAYS AS (price * 2));
      """)
    let columns = try #require(try resource("things", in: database)["columns"] as? [[String: Any]])
    let inputs = columns.map { "\($0["name"] ?? "") \($0["input"] ?? "")" }
    #expect(
      inputs == [
        "id number", "name text", "price number", "day date", "at timestamp", "time time", "done boolean",
        "meta json", "bytes bytes", "loose any", "twice number",
      ])
    #expect(columns.last?["isGenerated"] as? Bool == true)
  }

  @Test
  func `a label that is hidden, or none, is refused with its line`() {
    for label in ["naem", "name"] {
      #expect(throws: ModelFileError.self) {
        try TestDatabase(
          Library.schema, modelFile: "resources: { authors: { hidden: [name], label: \(label) } }")
      }
    }
  }

  @Test
  func `the rows of a view with a key are records: named by it in paths, and last in every order`() throws {
    let view = "CREATE VIEW old AS SELECT id AS number, name FROM author WHERE deathYear < 1900;"
    let database = try TestDatabase(
      Library.schema + Library.records + view, modelFile: "resources: { olds: { key: [number] } }")
    try expectRequest("/olds/1", on: database, json: #"{"number":1,"name":"Melville"}"#)
    #expect(try resource("olds", in: database)["key"] as? [String] == ["number"])
    #expect(throws: ModelFileError.self) {
      try TestDatabase(Library.schema, modelFile: "resources: { authors: { key: [name] } }")
    }
  }

  @Test
  func `the JSON Schema of the model file has this database's names`() throws {
    let database = try Library.database()
    let answer = try database.get("/-/schema.json")
    #expect(answer.headers["Content-Type"] == "application/schema+json")
    let schema = try #require(try database.document("/-/schema.json") as? [String: Any])
    #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    let definitions = try #require(schema["$defs"] as? [String: Any])
    let columns = try #require(definitions["columns.tag"] as? [String: Any])
    // Without computed columns, whose names are in the file itself.
    let others = try #require(columns["else"] as? [String: Any])
    let properties = try #require(others["properties"] as? [String: [String: Any]])
    #expect(properties["label"]?["enum"] as? [String] == ["id", "name"])
  }

  @Test
  func `the documents of the model have tags, and are not sent again while nothing changes`() throws {
    let database = try Library.database()
    for page in ["/-/schema", "/-/schema.json", "/-/diagram.svg", "/-/diagram.mmd"] {
      let tag = try #require(try database.get(page).headers["ETag"])
      #expect(try database.get(page, headers: ["If-None-Match": tag]).status == 304, "\(page)")
    }
  }
}
