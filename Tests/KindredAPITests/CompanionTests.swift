import TestSupport
import Testing

@testable import KindredAPI

@Suite("Statements that go along with the records above")
struct CompanionTests {
  private static let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
    CREATE INDEX bookOnAuthor ON book (authorId);
    CREATE TABLE review (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);
    CREATE INDEX reviewOnBook ON review (bookId);
    """

  @Test
  func `what refers to no record above is skipped: NULL, fractions, texts, records that are gone`() throws {
    let database = try TestDatabase(
      Self.schema + """
        PRAGMA foreign_keys = OFF;
        INSERT INTO author VALUES (-3, 'first'), (2, 'second'), (9, 'third'), (9223372036854775807, 'last');
        INSERT INTO book VALUES (1, 2, 'of second'), (2, NULL, 'x'), (3, -3, 'of first'), (4, 1.5, 'x'), (5, 'y', 'x'),
          (6, 3, 'x'), (7, 2, 'of second'), (8, x'02', 'x'), (9, 9223372036854775807, 'of last'), (10, 1e30, 'x'),
          (11, -1e30, 'x'), (12, '2', 'of second'), (13, 2.0, 'of second'), (14, 9223372036854775808.0, 'x');
        """)
    try expectRequest(
      "/authors?fields=name&include=books&books.fields=title", on: database,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "book"."title", "book"."authorId" FROM "book" INDEXED BY "bookOnAuthor" WHERE \#
        "book"."authorId" >= ?1 ORDER BY "book"."authorId", "book"."id"
        """#,
      json: #"""
        [{"name":"first","books":[{"title":"of first"}]},
        {"name":"second","books":[{"title":"of second"},{"title":"of second"},{"title":"of second"},
        {"title":"of second"}]},{"name":"third","books":[]},{"name":"last","books":[{"title":"of last"}]}]
        """#)
  }

  @Test
  func `a page begins with its first record`() throws {
    let database = try TestDatabase(Library.schema + Library.records)
    try expectRequest(
      "/authors?fields=name&include=books&books.fields=title&limit=1&offset=1", on: database,
      json: #"[{"name":"Zola","books":[{"title":"Germinal"},{"title":"Truth"}]}]"#)
  }

  @Test(arguments: [
    // The records above or the associated ones are sorted, filtered or limited.
    ("/authors?sort=-id&include=books", ""), ("/authors?filter=name>'A'&include=books", ""),
    ("/authors?include=books&books.filter=id>1", ""), ("/authors?include=books&books.sort=title", ""),
    ("/authors?include=books&books.limit=1", ""),
    // A value that is bound once can't differ for each record.
    ("/authors?include=books&books.annotate=by:../name", ""),
    ("/authors?include=books&books.annotate=by:../id", ""),
    // Text, in which 10 precedes 9; an index that isn't ordered by it.
    ("/authors?include=letters", "CREATE INDEX i ON letter (authorId);"),
    ("/authors?include=notes", "CREATE INDEX i ON note (authorId DESC);"),
    ("/authors?include=notes", "CREATE INDEX i ON note (authorId, text);"),
    ("/authors?include=notes", "CREATE INDEX i ON note (authorId) WHERE text > '';"),
  ])
  func `a statement runs for each record where the orders may differ`(target: String, index: String) throws {
    let database = try TestDatabase(
      Self.schema + """
        CREATE TABLE letter (id INTEGER PRIMARY KEY, authorId TEXT REFERENCES author);
        CREATE TABLE note (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, text TEXT);
        \(index)
        """)
    #expect(try !database.statements(target).contains(">= ?"))
  }

  @Test(arguments: 0..<20)
  func `whatever there is, it gives what a statement for each record gives`(seed: Int) throws {
    var random = LinearCongruentialGenerator(state: UInt64(seed))
    let last = Int.random(in: 1...200, using: &random)
    let authors = (0..<last).filter { _ in Bool.random(using: &random) }.map { "(\($0 - 20), 'a')" }
    let books = (0..<Int.random(in: 0...400, using: &random)).map { _ in
      let number = Int.random(in: -30...last, using: &random)
      return switch Int.random(in: 0..<20, using: &random) {
      case 0: "(NULL)"
      case 1: "(\(number).5)"
      case 2: "('text')"
      case 3: "(x'00')"
      // Many consecutive records that belong to no record above.
      case 4...8: "(\(last + Int.random(in: 0..<3, using: &random)))"
      default: "(\(number))"
      }
    }
    let reviews = (0..<300).map { _ in "(\(Int.random(in: 0...400, using: &random)))" }
    let database = try TestDatabase(
      Self.schema + """
        PRAGMA foreign_keys = OFF;
        INSERT INTO author VALUES \((authors + ["(\(last + 1), 'b')"]).joined(separator: ", "));
        INSERT INTO book (authorId) VALUES \((books + ["(\(last + 1))"]).joined(separator: ", "));
        INSERT INTO review (bookId) VALUES \(reviews.joined(separator: ", "));
        """)
    for page in ["", "&limit=1", "&limit=7&offset=5", "&offset=\(last / 2)"] {
      let target = "/authors?include=books.reviews\(page)"
      #expect(try database.statements(target).contains("INDEXED BY"))
      let along = try database.get(target).text
      #expect(try along == database.get(target + "&books.limit=1000").text)
    }
  }
}
