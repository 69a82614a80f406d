import KindredModel
import Testing

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
}
