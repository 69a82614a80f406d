import Testing

@testable import KindredAssociations

@Suite("Full-text patterns for PostgreSQL")
struct TextSearchQueryTests {
  @Test(
    "patterns are translated",
    arguments: [
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
    ])
  func translated(pattern: String, text: String) throws {
    #expect(try TextSearchQuery(pattern).text == text)
  }

  @Test(
    "what is malformed is refused",
    arguments: [
      "", "\"whale", "(whale", "whale)", "white OR", "AND", "a:b", "^a", "NEAR(a b)", "\"!\"", "*", "it's",
      String(repeating: "(", count: 100),
    ])
  func refused(pattern: String) {
    #expect(throws: TextSearchQuery.Failure.self) { try TextSearchQuery(pattern) }
  }
}
