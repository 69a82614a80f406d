import KindredSQLSyntax
import Testing

@Suite("SQL and its bindings are one value")
struct SQLTests {
  private let author = RecordID(alias: "author", depth: 0)
  private let book = RecordID(alias: "book", depth: 1)

  // MARK: Text

  @Test
  func `identifiers are quoted, whatever they contain`() {
    let sql: SQL = "SELECT \(identifier: "a\"; DROP TABLE b; --") FROM \(identifier: "gift-card")"
    #expect(sql.rendered().text == #"SELECT "a""; DROP TABLE b; --" FROM "gift-card""#)
    #expect(SQL.column(RecordID(alias: "a\"b", depth: 0), "c\"d").rendered().text == #""a""b"."c""d""#)
  }

  @Test
  func `equal bindings share a parameter, in the order of their first use`() {
    let sql: SQL = "\(.parameter(1)) \(.value(.integer(7))) \(.parameter(0)) \(.parameter(1))"
    let (text, bindings) = sql.rendered()
    #expect(text == "?1 ?2 ?3 ?1")
    #expect(bindings == [.parameter(1), .value(.integer(7)), .parameter(0)])
  }

  @Test
  func `a parameter of two types is two where parameters have types`() {
    let sql: SQL =
      "\(.bound(to: .parameter(0), as: "text")) \(.bound(to: .parameter(0), as: "int8")) \(.parameter(0))"
    #expect(sql.rendered(.dollar).text == "$1::text $2::int8 $3")
    #expect(sql.rendered(.dollar).bindings == [.parameter(0), .parameter(0), .parameter(0)])
    #expect(sql.rendered(.questionMark).text == "?1 ?1 ?1")
  }

  @Test
  func `a parameter is a subquery where SQLite must not take it for a constant, but not as an item`() {
    let alone: SQL = "\(.parameter(0))"
    let sum: SQL = "1 + \(.parameter(1))"
    let sql: SQL = "x = \(alone) AND y IN (\(alone.asItem), \(sum.asItem))"
    #expect(sql.rendered(.subquery).text == "x = (SELECT ?1) AND y IN (?1, 1 + (SELECT ?2))")
  }

  @Test
  func `parts are joined by a separator, and added up`() {
    let parts: [SQL] = ["a", "\(.parameter(0))", "c"]
    #expect(parts.joined(separator: ", ").rendered().text == "a, ?1, c")
    #expect(([SQL]()).joined(separator: ", ").isEmpty)
    #expect(("a" as SQL) + "b" == "ab")
  }

  @Test
  func `the length is that of the text in bytes, and four for each binding and column`() {
    let sql: SQL = "é\(.term("ab"))\(.parameter(0))\(.column(author, "a long name"))"
    #expect(sql.length == 2 + 2 + 4 + 4)
  }

  // MARK: Notes

  private enum Note: SQLNote {
    case first, second
  }

  private func notes(_ sql: SQL) -> [Note] { sql.notes.compactMap { $0 as? Note } }

  @Test
  func `notes stay with SQL wherever it goes, each once, and are no part of its text`() {
    let noted = ("a" as SQL).noted(Note.first)
    #expect(notes("\(noted) + \(noted)") == [.first])
    #expect(notes([noted, "b", noted.noted(Note.second)].joined(separator: ", ")) == [.first, .second])
    #expect(notes("b" + SQL.term(noted)) == [.first])
    #expect(notes((.term("a") + noted).replacing(term: .term("a"), with: "b")) == [.first])
    #expect(notes(SQL.term("a").replacing(term: .term("a"), with: noted)) == [.first])
    let text: SQL = "x\(noted)\(.parameter(0))"
    #expect(notes(text.replacingBindings { _, _ in "1" }) == [.first])
    #expect(text.rendered().text == "xa?1")
    #expect(text == "xa\(.parameter(0))")
    #expect(Set<SQL>([noted, "a"]).count == 1)
    #expect(SQL().noted(Note.first).isEmpty)
  }

  // MARK: Reading

  @Test
  func `it knows which records and columns it reads, in terms too`() {
    let sql: SQL = "\(.column(author, "id")) = \(.term("lower(\(.column(book, "authorId")))"))"
    #expect(sql.reads { $0 == author } && sql.reads { $0 == book })
    #expect(!sql.reads { $0 == RecordID(alias: "book", depth: 0) })
    #expect(sql.reads(columnWhere: { $0 == book && $1 == "authorId" }))
    #expect(!sql.reads(columnWhere: { $0 == author && $1 == "authorId" }))
    #expect(!("author.id" as SQL).reads { _ in true })
  }

  @Test
  func `it is a column only if it is nothing else`() {
    #expect(SQL.column(author, "id").column(of: author) == "id")
    #expect(SQL.column(author, "id").column(of: book) == nil)
    #expect((SQL.column(author, "id") + " + 1").column(of: author) == nil)
  }

  @Test
  func `bindings are found and replaced wherever they are`() {
    let sql: SQL = "a = \(.ancestor(level: 1, column: 2)) AND \(.term("b = \(.parameter(0))"))"
    #expect(sql.isBound { $0 == .parameter(0) })
    #expect(!sql.isBound { $0 == .parameter(1) })
    let replaced = sql.replacingBindings { binding, _ in
      binding == .parameter(0) ? "\(.value(.null))" : nil
    }
    #expect(replaced == "a = \(.ancestor(level: 1, column: 2)) AND \(.term("b = \(.value(.null))"))")
  }

  @Test
  func `a term is found and replaced as a whole, within others too`() {
    let count = SQL.term("(SELECT COUNT(*) FROM b)")
    let sql: SQL = "\(.term("\(count) > \(.parameter(0))")) OR (SELECT COUNT(*) FROM b)"
    #expect(sql.contains(term: count))
    #expect(!sql.contains(term: .term("(SELECT COUNT(*) FROM a)")))
    let replaced = sql.replacing(term: count, with: "n")
    #expect(replaced.rendered().text == "n > ?1 OR (SELECT COUNT(*) FROM b)")
    #expect(!replaced.contains(term: count))
  }

  // MARK: Equality

  @Test
  func `texts are compared by their bytes, as databases do`() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(SQL(trusted: composed) != SQL(trusted: decomposed))
    #expect(SQL.column(author, composed) != SQL.column(author, decomposed))
    #expect(SQLValue.text(composed) != .text(decomposed))
    #expect(StatementText(composed) != StatementText(decomposed))
  }

  @Test
  func `reals are equal if their bits are, and never equal to integers`() {
    #expect(SQLValue.real(.nan) == .real(.nan))
    #expect(SQLValue.real(0) != .real(-0.0))
    #expect(SQLValue.real(1) != .integer(1))
  }
}
