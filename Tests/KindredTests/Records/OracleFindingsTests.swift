import Kindred
import Testing

/// Defects that were found by comparing random requests with another library and with a naive evaluation.
@Suite("Findings of the oracle")
struct OracleFindingsTests {
  private func rows(_ request: some FetchRequest) throws -> [String] {
    try Library.make().read { db in
      try Row.fetchAll(db, request).map { row in
        ([row.description] + row.scopes.map { "\($0.name): \($0.row)" }).joined(separator: " ")
      }
    }
  }

  private let moby = Book.select(Column("title")).filter(key: 1)

  @Test
  func `annotating with a column of an associated record leaves the included record whole`() throws {
    let request = moby.annotated(withRequired: Book.author.select(Column("name")))
      .including(required: Book.author.select(Column("id"), Column("country")))
    #expect(
      try rows(request) == [#"[title:"Moby-Dick", name:"Melville"] author: [id:1, country:"US"]"#])
    let other = moby.including(required: Book.author.select(Column("id"), Column("country")))
      .annotated(withRequired: Book.author.select(Column("name")))
    #expect(try rows(other) == rows(request))
  }

  @Test
  func `annotating with an associated record takes what that is annotated with`() throws {
    let author = Book.author.select(Column("name")).annotated(with: Column("country"))
    #expect(
      try rows(moby.annotated(withRequired: author)) == [
        #"[title:"Moby-Dick", name:"Melville", country:"US"]"#
      ])
  }

  @Test
  func `joining selects nothing, whatever is selected and annotated`() throws {
    let author = Book.author.select(Column("name")).annotated(with: Column("country"))
    #expect(try rows(moby.joining(required: author)) == [#"[title:"Moby-Dick"]"#])
  }

  @Test
  func `the last selection of an included record wins, though it is the default one`() throws {
    let request = moby.including(required: Book.author.select(Column("name")).annotated(with: Column("id")))
      .including(required: Book.author)
    #expect(
      try rows(request) == [
        #"[title:"Moby-Dick"] author: [id:1, name:"Melville", country:"US", birthYear:1819]"#
      ])
  }

  @Test
  func `select replaces annotations that came before it`() throws {
    #expect(
      try rows(Book.filter(key: 1).annotated(with: Column("year").forKey("written")).select(Column("id")))
        == ["[id:1]"])
  }

  @Test
  func `reversed reverses the order of what is joined as well`() throws {
    let request = Author.select(Column("id")).including(
      required: Author.books.select(Column("year")).order(Column("year"))
    ).order(Column("id"))
    #expect(
      try rows(request.reversed()) == [
        "[id:2] book: [year:1830]", "[id:1] book: [year:1924]", "[id:1] book: [year:1876]",
        "[id:1] book: [year:1851]",
      ])
    #expect(try rows(request) == rows(request.reversed()).reversed())
  }

  @Test
  func `a given key of an association to many records is singular where one of them is joined`() throws {
    let written = Author.hasMany(Book.self, key: "writings")
    let request = Author.select(Column("id")).filter(key: 2)
    #expect(
      try rows(request.including(required: written.select(Column("year")))) == ["[id:2] writing: [year:1830]"]
    )
    #expect(
      try rows(request.including(required: Author.books.select(Column("year")).forKey("plays"))) == [
        "[id:2] play: [year:1830]"
      ])
    try Library.make().read { db in
      let row = try Row.fetchOne(db, request.including(all: written))
      #expect(row?.prefetchedRows.keys == ["writings"])
    }
  }

  @Test
  func `what is required behind an optional association may speak of the record before it`() throws {
    let author = TableAlias()
    let awards = Book.awards.select(Column("name")).filter(Column("id") <= author[Column("id")])
    let request = Author.aliased(author).select(Column("id"))
      .including(optional: Author.books.select(Column("title")).including(required: awards))
      .order(Column("id"))
    #expect(
      try rows(request) == [
        #"[id:1] book: [title:"Moby-Dick"]"#, "[id:2] book: [title:NULL]", "[id:3] book: [title:NULL]",
      ])
  }
}
