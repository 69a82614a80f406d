import KindredSQLSyntax
import Testing

@testable import KindredModel
@testable import KindredPlanning
@testable import KindredPostgreSQLDialect

@Suite("Full-text patterns for PostgreSQL")
struct TextSearchQueryTests {
  @Test(arguments: [
    ("whale", "'whale'"),
    ("white whale", "'white' & 'whale'"),
    ("white AND whale", "'white' & 'whale'"),
    ("white OR whale sea", "'white' | 'whale' & 'sea'"),
    ("white NOT whale", "'white' & !'whale'"),
    ("\"white whale\"", "('white' <-> 'whale')"),
    ("white + whale", "('white' <-> 'whale')"),
    ("wha*", "'wha':*"),
    ("\"white wha\"*", "('white' <-> 'wha':*)"),
    ("(a OR b) c", "('a' | 'b') & 'c'"),
    ("\"it's\"", "('it' <-> 's')"),
    ("é", "'é'"),
    ("NEAR(a b, 0)", "('a' <1> 'b' | 'b' <1> 'a')"),
    (
      "c NEAR(\"a d\" b*, 1)",
      "'c' & (('a' <-> 'd') <1> 'b':* | 'b':* <1> ('a' <-> 'd') | ('a' <-> 'd') <2> 'b':* | 'b':* <2> ('a' <-> 'd'))"
    ),
  ])
  func `patterns are translated`(pattern: String, text: String) throws {
    #expect(try TextSearchQuery(pattern).text == text)
  }

  @Test(arguments: [
    "", "\"whale", "(whale", "whale)", "white OR", "AND", "a:b", "^a", "NEAR(a)", "NEAR(a b c)",
    "NEAR(a b, x)", "NEAR(a b, 101)", "NEAR(a b", "a, b", "\"!\"", "*", "it's",
    String(repeating: "(", count: 100),
  ])
  func `what is malformed is refused`(pattern: String) {
    #expect(throws: TextSearchQuery.Failure.self) { try TextSearchQuery(pattern) }
  }

  @Test
  func `a malformed pattern is refused in a joined node, though no statement reads it`() throws {
    let key = Column(name: "id", declaredType: "int8", isNullable: false)
    let author = Table(name: "author", kind: .table, columns: [key], primaryKey: [0], uniqueKeys: [[0]])
    let book = Table(
      name: "book", kind: .table,
      columns: [key, Column(name: "authorId", declaredType: "int8", isNullable: false)], primaryKey: [0],
      uniqueKeys: [[0]],
      foreignKeys: [ForeignKey(columns: ["authorId"], destination: "author", destinationColumns: ["id"])],
      fullText: FullText(vector: "words", of: "book"))
    let model = Model(inferredFrom: Schema(tables: [author, book]))
    func search(_ pattern: String) throws {
      var literals = Literals()
      var books = RequestNode(
        key: "books", association: model.resources["authors"]?.associations["books"], origin: Origin())
      books.isIncluded = false
      books.searches = [RequestNode.Search(literal: literals.number(of: .text(pattern)), origin: Origin())]
      var root = RequestNode()
      root.children = [books]
      _ = try Planner(model: model, dialect: .postgreSQL).plan(
        FetchRequest(path: RequestPath(resource: "authors"), root: root, literals: literals))
    }
    try search("whale")
    let error = #expect(throws: RequestError.self) { try search("white OR") }
    #expect(error?.message.hasPrefix("the pattern is malformed: ") ?? false)
  }
}
