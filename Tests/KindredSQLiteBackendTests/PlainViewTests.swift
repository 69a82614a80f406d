import KindredModel
import KindredPlanning
import Testing

@testable import KindredSQLiteBackend

@Suite("Plain views")
struct PlainViewTests {
  private static let tables = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, mentorId INTEGER REFERENCES author(id));
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT COLLATE NOCASE);
    CREATE TABLE note (body TEXT);
    """

  /// Returns the view `v` with this definition.
  private func view(_ definition: String, of columns: String = "") throws -> Table {
    try table("v", Self.tables + "CREATE VIEW v\(columns) AS \(definition);")
  }

  @Test(arguments: [
    ("SELECT id, name FROM author", ""), ("SELECT name AS n, id FROM author WHERE name > 'a'", ""),
    ("SELECT * FROM author", ""), ("SELECT a.* FROM main.author AS a ORDER BY name", ""),
    ("SELECT name, author.rowid id FROM author", ""), ("SELECT \"ID\" FROM author -- FROM book", ""),
    ("SELECT upper(name), id FROM author NOT INDEXED", ""), ("SELECT ALL name, id FROM author", "(a, b)"),
    ("SELECT id, (SELECT count(*) FROM book WHERE authorId = author.id) AS n FROM author", ""),
    ("SELECT id FROM author WHERE id IN (SELECT authorId FROM book GROUP BY authorId LIMIT 3)", ""),
  ])
  func `a view of one table has its key`(definition: String, columns: String) throws {
    let view = try view(definition, of: columns)
    #expect(view.plainView?.table == "author")
    #expect(view.primaryKey.count == 1 && view.identity.count == 1)
  }

  @Test(arguments: [
    "SELECT a.id FROM author a JOIN author b ON a.id = b.mentorId", "SELECT author.id FROM author, book",
    "SELECT DISTINCT id FROM author", "SELECT id FROM author GROUP BY id", "SELECT id FROM author LIMIT 3",
    "SELECT id FROM author UNION ALL SELECT id FROM author", "SELECT id, count(*) FROM author",
    "SELECT id, max(name) FROM author", "SELECT id, row_number() OVER (ORDER BY name) FROM author",
    "SELECT id FROM (SELECT id FROM author)", "WITH a AS (SELECT id FROM author) SELECT id FROM a",
    "SELECT value AS id FROM json_each('[1]')", "SELECT id FROM author NATURAL JOIN book", "VALUES (1)",
    "SELECT id, (SELECT max(author.name) FROM note) FROM author",
  ])
  func `a view of another form has none`(definition: String) throws {
    let view = try view(definition)
    #expect(view.plainView == nil)
    #expect(view.primaryKey == [] && view.foreignKeys == [] && view.indexes == [])
  }

  @Test
  func `what only looks like a column of the table is an expression`() throws {
    let items = [
      "'id'", "+id", "id COLLATE nocase", "cast(id AS TEXT)", "(SELECT b.id FROM author b)", "id ISNULL",
      "null", "not id",
    ]
    for item in items { #expect(try view("SELECT name, \(item) FROM author").primaryKey == [], "\(item)") }
  }

  @Test
  func `keys, uniqueness, types and collations are those of the table`() throws {
    let view = try view("SELECT title AS t, authorId AS writer, id AS number FROM book")
    #expect(view.columns.map(\.declaredType) == ["TEXT", "INTEGER", "INTEGER"])
    #expect(view.columns.map(\.collation) == ["NOCASE", "BINARY", "BINARY"])
    #expect(view.primaryKey == [2] && view.uniqueKeys == [[2]])
    #expect(
      view.foreignKeys == [ForeignKey(columns: ["writer"], destination: "author", destinationColumns: ["id"])]
    )
    #expect(view.isIndexed(["number"]))
  }

  @Test
  func `a rowid that no key is declared for is the key where the view selects it`() throws {
    #expect(try view("SELECT rowid AS id, body FROM note").primaryKey == [0])
    #expect(try view("SELECT * FROM note").primaryKey == [])
  }

  @Test
  func `a view over a plain view shows the table of that`() throws {
    let more = "CREATE VIEW w AS SELECT key AS k, writer FROM v;"
    let views = try schema(
      Self.tables + "CREATE VIEW v AS SELECT id AS key, authorId AS writer FROM book;" + more)
    #expect(views.tables["w"]?.plainView?.table == "book")
    #expect(views.tables["w"]?.foreignKeys.first?.columns == ["writer"])
  }

  @Test
  func `a plain view has the associations of its table, and no table one to it`() throws {
    let model = Model(
      inferredFrom: try schema(
        Self.tables
          + "CREATE VIEW living AS SELECT name, id FROM author; CREATE VIEW short AS SELECT authorId FROM book;"
      ))
    #expect(model.resources["livings"]?.associations.keys == ["authorsByMentor", "books"])
    #expect(model.resources["shorts"]?.associations.keys == ["author"])
    #expect(model.resources["authors"]?.associations.keys == ["mentor", "authorsByMentor", "books"])
  }
}
