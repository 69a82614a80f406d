import KindredSQLSyntax
import Testing

@Suite("Patterns of LIKE and GLOB")
struct PatternTests {
  @Test(arguments: [
    ("abc", "^abc$"), ("a*", "^a"), ("*a*", "a"), ("*", "$"), ("a***b", "^a.*b$"), ("a?", "^a.$"), ("", "^$"),
    ("a.b", "^a\\U0000002eb$"), ("1", "^\\U00000031$"), ("é", "^\\U000000e9$"),
    ("[abc]", "^[a-ab-bc-c]$"), ("[a-c]", "^[a-aa-c]$"), ("[^a-c]", "^[^a-aa-c]$"),
    // A bracket that closes nothing is a character, as is one at the beginning of a set.
    ("]", "^\\U0000005d$"), ("[]]", "^[\\U0000005d-\\U0000005d]$"),
    // A minus at the end of a set is a character.
    ("[a-]", "^[a-a\\U0000002d-\\U0000002d]$"),
    // As in SQLite, a range that is upside down has only its first character, and a set without an end none.
    ("[c-a]", "^[c-c]$"), ("a[b", "^a(?!)$"),
  ])
  func `a pattern of GLOB is a regular expression`(glob: String, expression: String) {
    #expect(PatternKind.glob.regularExpression(of: .text(glob)) == .text(expression))
  }

  @Test(arguments: [
    ("abc", nil, "^abc$"), ("a%", nil, "^a"), ("%a%", nil, "a"), ("%%", nil, "$"), ("a_b", nil, "^a.b$"),
    ("a*[b]", nil, "^a\\U0000002a\\U0000005bb\\U0000005d$"), ("a!%b!!", "!", "^a\\U00000025b\\U00000021$"),
    // As in SQLite, nothing matches a pattern that ends with the character before another one.
    ("a!", "!", "^a(?!)$"), ("a!%", nil, "^a\\U00000021"),
  ])
  func `a pattern of LIKE is a regular expression`(like: String, escape: String?, expression: String) {
    #expect(
      PatternKind.like.regularExpression(of: .text(like), escape: escape.map(SQLValue.text))
        == .text(expression))
  }

  @Test(arguments: ["", "!!", "e\u{301}"])
  func `only a single character can stand before another one`(escape: String) {
    #expect(PatternKind.like.regularExpression(of: .text("a"), escape: .text(escape)) == nil)
    #expect(PatternKind.like.regularExpression(of: .text("a"), escape: .null) == .null)
  }

  @Test
  func `a number is a pattern by its text, and NULL is no pattern`() {
    #expect(
      PatternKind.glob.regularExpression(of: .integer(-1)) == .text("^\\U0000002d\\U00000031$"))
    #expect(PatternKind.glob.regularExpression(of: .null) == .null)
    #expect(PatternKind.like.beginning(of: .null) == .null)
    #expect(PatternKind.glob.beginning(of: .integer(12)) == .text("12*"))
  }

  @Test(
    arguments: [
      (PatternKind.like, "abc", nil, "abc%"), (.like, "abc_d%e", nil, "abc%"), (.like, "%abc", nil, "%"),
      (.like, "a!%b", "!", "a%"), (.like, "a*b", nil, "a*b%"),
      (.glob, "a%b*", nil, "a%b*"), (.glob, "a?", nil, "a*"), (.glob, "a[bc]", nil, "a*"),
      (.like, String(repeating: "a", count: 60), nil, String(repeating: "a", count: 50) + "%"),
    ] as [(PatternKind, String, String?, String)])
  func `the beginning of a pattern matches all that it matches`(
    kind: PatternKind, pattern: String, escape: String?, expected: String
  ) {
    let beginning = kind.beginning(of: .text(pattern), escape: escape.map(SQLValue.text))
    #expect(beginning == .text(expected))
  }

  @Test(arguments: [
    ("SELECT 1", "SELECT 1"), ("SELECT 1 ; \n", "SELECT 1"), ("SELECT 1 -- all", "SELECT 1 -- all\n"),
    (";;", ""), ("", ""),
  ])
  func `a statement in parentheses ends before its semicolon, and a comment in it with the line`(
    sql: String, expected: String
  ) {
    #expect(sql.enclosable == expected)
  }
}
