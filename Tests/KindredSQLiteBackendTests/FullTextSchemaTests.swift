import KindredModel
import KindredPlanning
import OrderedCollections
import Testing

@testable import KindredSQLiteBackend

@Suite struct FullTextSchemaTests {
  @Test(arguments: [
    "fts5(title, content='book', content_rowid='id')", "fts5(title,content=book,content_rowid=id)",
    "FTS5(title, content = \"BOOK\", content_rowid = [ID], tokenize = 'porter ascii')",
    "fts5(title, cont=`book`, content_r=id)",
    "fts5(\"title\", tokenize = \"unicode61 remove_diacritics 2\", /* content='other', */ content='book', content_rowid='id')",
  ])
  func `a table knows the full-text table whose external content it is`(arguments: String) throws {
    let schema = try schema(
      """
      CREATE TABLE book (title TEXT, id INTEGER PRIMARY KEY);
      CREATE VIRTUAL TABLE bookText USING \(arguments);
      """)
    #expect(
      schema.tables["book"]?.fullText
        == FullText(
          table: "bookText", columns: ["title"], version: 5, rowIDName: "id", hasColumnFilters: true))
    #expect(
      schema.tables["bookText"]?.fullText
        == FullText(table: "bookText", columns: ["title"], version: 5, hasColumnFilters: true))
    #expect(schema.warnings == [])
  }

  @Test
  func `an FTS4 table shares its content's rowid`() throws {
    let schema = try schema(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
      CREATE VIRTUAL TABLE "full text" USING fts4(content="book", title, tokenize=unicode61 "remove_diacritics=1");
      CREATE VIRTUAL TABLE IF NOT EXISTS old USING fts3(title, content=book);
      CREATE TABLE "if" (id INTEGER PRIMARY KEY, body);
      CREATE VIRTUAL TABLE main."IF TEXT" USING fts4(body, content=if);
      """)
    #expect(schema.tables["book"]?.fullText == FullText(table: "full text", columns: ["title"], version: 4))
    #expect(
      schema.tables["old"]?.fullText == FullText(table: "old", columns: ["title", "content"], version: 3))
    #expect(schema.tables["if"]?.fullText == FullText(table: "IF TEXT", columns: ["body"], version: 4))
  }

  @Test
  func `a view can be the content, by its column; the first of several indexes is used`() throws {
    let schema = try schema(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
      CREATE VIEW summary AS SELECT id AS number, title FROM book;
      CREATE VIRTUAL TABLE a USING fts5(title, content=summary, content_rowid=number);
      CREATE VIRTUAL TABLE b USING fts5(title, content=summary, content_rowid=number);
      CREATE VIRTUAL TABLE c USING fts5(title, content=book, content_rowid=nothing);
      """)
    #expect(
      schema.tables["summary"]?.fullText
        == FullText(
          table: "a", columns: ["title"], version: 5, rowIDName: "number", hasColumnFilters: true))
    #expect(schema.tables["book"]?.fullText == nil)
  }

  @Test
  func `a table without content, or with its own, is searched itself`() throws {
    let schema = try schema(
      """
      CREATE TABLE content (id INTEGER PRIMARY KEY);
      CREATE VIRTUAL TABLE a USING fts5(title, content='');
      CREATE VIRTUAL TABLE b USING fts4(title, content="");
      CREATE VIRTUAL TABLE c USING fts5(content);
      CREATE VIRTUAL TABLE d USING fts5(rowid_, title);
      CREATE VIRTUAL TABLE e USING rtree(id, x, y);
      """)
    #expect(schema.tables.values.map { $0.fullText?.table } == [nil, "a", "c", "d", nil])
    // FTS4 can't read the columns of a table without content.
    #expect(schema.warnings == ["the table b is not served: its columns can't be read"])
  }

  @Test(arguments: [("full", true), ("column", true), ("none", false), ("NONE", false)])
  func `only an index that knows the columns of its words can leave some out`(detail: String, knows: Bool)
    throws
  {
    let schema = try schema("CREATE VIRTUAL TABLE t USING fts5(a, b, detail = \(detail))")
    #expect(schema.tables["t"]?.fullText?.hasColumnFilters == knows)
  }

  @Test
  func `a full-text table whose content has gone is left out with a warning`() throws {
    let schema = try schema(
      "CREATE TABLE book (title); CREATE VIRTUAL TABLE t USING fts5(title, content=book); DROP TABLE book;")
    #expect(schema.tables.isEmpty)
    #expect(schema.warnings == ["the full-text table t is not served: there is no table book"])
  }

  @Test(arguments: [
    "", "CREATE TABLE t (a)", "CREATE VIRTUAL TABLE", "CREATE VIRTUAL TABLE t",
    "CREATE VIRTUAL TABLE t USING",
    "CREATE VIRTUAL TABLE main. USING fts5", "'unfinished", "/* unfinished", "[", "--",
  ])
  func `text that is no declaration of a virtual table gives none`(sql: String) {
    #expect(VirtualTableDeclaration(sql)?.module == nil)
  }

  @Test
  func `an unfinished list of arguments ends with the text`() {
    let declaration = VirtualTableDeclaration("create virtual table x using Fts5(a, b=(c,d), e='it''s")
    #expect(declaration?.module == "fts5")
    #expect(declaration?.arguments.map(\.name) == [nil, "b", "e"])
    #expect(declaration?.arguments.last?.value == "it's")
  }
}
