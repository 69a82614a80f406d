import KindredSQLSyntax
import Testing

@testable import KindredModel

@Suite("Parameters in the text of queries")
struct ParameterScannerTests {
  /// Returns the text with the parameters as `‹name›`.
  private func scanned(_ sql: String, _ syntax: QuerySyntax) -> String {
    var scanner = ParameterScanner(sql, syntax)
    var text = ""
    while let piece = scanner.next() {
      switch piece {
      case .text(let part): text += part
      case .parameter(let name): text += "‹\(name)›"
      case .separator: text += ";"
      }
    }
    return text
  }

  @Test(arguments: [
    ("year >= :since", "year >= ‹since›"), (":a+:b", "‹a›+‹b›"), ("(:a,:a_2)", "(‹a›,‹a_2›)"),
    ("':a' || \":b\" || :c", "':a' || \":b\" || ‹c›"), ("'it''s :a' :b", "'it''s :a' ‹b›"),
    ("1 -- :a\n:b", "1 -- :a\n‹b›"), ("1 /* :a */ :b", "1 /* :a */ ‹b›"), ("1 -- :a", "1 -- :a"),
    ("'unclosed :a", "'unclosed :a"), ("/* unclosed :a", "/* unclosed :a"), (": a", ": a"), ("a :", "a :"),
    ("x = :größe", "x = ‹größe›"), ("", ""), (":", ":"), ("SELECT:a", "SELECT‹a›"),
  ])
  func `are found outside of texts, quoted names and comments`(sql: String, expected: String) {
    #expect(scanned(sql, .sqlite) == expected)
    #expect(scanned(sql, .postgreSQL) == expected)
  }

  @Test(arguments: [
    (":a::date", "‹a›::date"), ("x::text||:a", "x::text||‹a›"), ("f(a := :b)", "f(a := ‹b›)"),
    ("x[1:n]", "x[1:n]"), ("x[a:b]", "x[a:b]"), ("x[1:n][2:m] = :n", "x[1:n][2:m] = ‹n›"),
    ("x[f(1):n]", "x[f(1):n]"),
    ("ARRAY[:a, :b]", "ARRAY[‹a›, ‹b›]"), ("x[1 :n]", "x[1 :n]"),
    ("x[CASE WHEN :a THEN 1 END]", "x[CASE WHEN ‹a› THEN 1 END]"),
    ("$$ :a $$ :b", "$$ :a $$ ‹b›"), ("$t$ :a $$ $t$ :b", "$t$ :a $$ $t$ ‹b›"),
    ("E'\\':a' :b", "E'\\':a' ‹b›"),
    ("E'\\\\' :a", "E'\\\\' ‹a›"), ("/* /* :a */ :b */ :c", "/* /* :a */ :b */ ‹c›"), ("`:a`", "`‹a›`"),
    ("x ? ':a' = :b", "x ? ':a' = ‹b›"), ("e':a' || :b", "e':a' || ‹b›"), ("some':a'", "some':a'"),
  ])
  func `PostgreSQL's casts, bounds of arrays and ways of quoting are no parameters`(
    sql: String, expected: String
  ) {
    #expect(scanned(sql, .postgreSQL) == expected)
  }

  @Test(arguments: [
    ("[:a] = :b", "[:a] = ‹b›"), ("`:a` = :b", "`:a` = ‹b›"), ("/* /* :a */ :b", "/* /* :a */ ‹b›"),
    ("E'\\' || :a", "E'\\' || ‹a›"),
  ])
  func `SQLite's ways of quoting are no parameters`(sql: String, expected: String) {
    #expect(scanned(sql, .sqlite) == expected)
  }
  @Test(
    arguments: [
      (.integer, "-12", .integer(-12)), (.integer, "007", .integer(7)), (.integer, "+1", nil),
      (.integer, "", nil),
      (.integer, "-", nil), (.integer, "1.0", nil), (.integer, " 1", nil),
      (.integer, "9223372036854775808", nil),
      (.integer, "-9223372036854775808", .integer(.min)), (.integer, "٣", nil), (.real, "20", .real(20)),
      (.real, "-0.5e3", .real(-500)), (.real, ".5", nil), (.real, "5.", nil), (.real, "01", nil),
      (.real, "1e999", nil),
      (.real, "nan", nil), (.real, "0x10", nil), (.boolean, "true", .integer(1)),
      (.boolean, "false", .integer(0)),
      (.boolean, "1", nil), (.boolean, "TRUE", nil), (.text, "", .text("")), (.text, "null", .text("null")),
      (.text, "a\0b", nil),
    ] as [(QueryParameter.Kind, String, SQLValue?)])
  func `values have one form for each type`(kind: QueryParameter.Kind, text: String, value: SQLValue?) {
    #expect(kind.value(of: text) == value)
  }
}
