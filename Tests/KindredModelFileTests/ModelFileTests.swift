import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredSQLite
import OrderedCollections
import Testing

@testable import KindredModelFile

@Suite struct ModelFileTests {
  @Test(arguments: ["", "# nothing\n", "null", "resources: {}", "{}"])
  func `an empty file changes nothing`(text: String) throws {
    #expect(try summary(text) == summary(nil))
  }

  @Test(arguments: [
    "resources:\n", "resources:\n  # books: {}\ncommonTableExpressions:\n",
    "resources:\n  books:\n    associations:\n    columns:\n",
  ])
  func `an empty section is as if it weren't there`(text: String) throws {
    #expect(try summary(text) == summary(nil))
  }

  @Test
  func `columns are selected, hidden and put in order`() throws {
    let model = try model(
      """
      resources:
        authors:
          table: author
          sort: -name:nocase, id
          fields: [NAME, id]
          hidden: [email]
        books: { sort: [year, -title] }
      """)
    let authors = try #require(model.resources["authors"])
    #expect(authors.fields == ["name", "id"])
    #expect(authors.hidden == ["email"])
    #expect(authors.sort.map(\.isDescending) == [true, false])
    #expect(authors.sort.map(\.isNoCase) == [true, false])
    #expect(model.resources["books"]?.sort.map(\.isDescending) == [false, true])
  }

  @Test
  func `a resource is removed, and the associations that lead to it; those through its table stay`() throws {
    let lines = try summary("resources: { bookTags: null, countries: null }")
    #expect(!lines.contains { $0.contains("bookTags") || $0.contains("countries") })
    #expect(lines.contains("books.tags: hasManyThrough tags"))
    #expect(lines.contains("authors.books: hasMany books"))
  }

  @Test
  func `another name replaces the inferred one, and associations follow`() throws {
    let lines = try summary("resources: { writers: { table: Author } }")
    #expect(lines.contains("writers: author"))
    #expect(lines.contains("books.author: belongsTo writers"))
    #expect(lines.contains("writers.books: hasMany books"))
    #expect(!lines.contains { $0.hasPrefix("authors") })
    // It takes the place of the previous one, not the last.
    let before = try summary(nil).filter { !$0.contains(".") }
    #expect(
      lines.filter { !$0.contains(".") } == before.map { $0 == "authors: author" ? "writers: author" : $0 })
  }

  @Test
  func `the inferred name stays where the file mentions it too`() throws {
    let lines = try summary("resources: { writers: { table: author }, authors: {} }")
    #expect(lines.contains("writers: author") && lines.contains("authors: author"))
    #expect(lines.contains("books.author: belongsTo authors"))
    #expect(lines.contains("writers.books: hasMany books"))
  }

  @Test
  func `two tables can change their names`() throws {
    let lines = try summary("resources: { authors: { table: book }, books: { table: author } }")
    #expect(lines.contains("authors: book") && lines.contains("books: author"))
    #expect(lines.contains("authors.author: belongsTo books"))
  }

  @Test
  func `the name of a removed resource can be that of another`() throws {
    let lines = try summary("resources: { authors: null, writers: { table: author } }")
    #expect(lines.contains("books.author: belongsTo writers"))
  }

  @Test
  func `an association is derived, ordered, removed and renamed`() throws {
    let model = try model(
      """
      resources:
        authors:
          associations:
            novels:  { from: books, filter: kind = 'novel' }
            classics: { from: novels, filter: year < 1900, sort: year }
            books:   { from: books, sort: title }
            country: null
            mentor:  { belongsTo: authors, foreignKey: { mentorId: id } }
            pupils:  { hasMany: authors, foreignKey: [mentorId] }
            latest:  { hasOne: books, foreignKey: [authorId] }
            inferred: { hasMany: books }
      """)
    let authors = try #require(model.resources["authors"])
    #expect(
      Array(authors.associations.keys) == [
        "books", "novels", "classics", "mentor", "pupils", "latest", "inferred",
      ])
    let classics = try #require(authors.associations["classics"])
    guard case .all(let conditions)? = classics.filter?.kind else {
      Issue.record("both conditions hold")
      return
    }
    #expect(conditions.count == 2)
    #expect(classics.sort.count == 1 && authors.associations["novels"]?.sort.count == 1)
    #expect(authors.associations["pupils"]?.steps.first?.originColumns == ["id"])
    #expect(authors.associations["pupils"]?.steps.first?.destinationColumns == ["mentorId"])
    #expect(authors.associations["mentor"]?.steps.first?.isToOne == true)
    #expect(authors.associations["latest"]?.kind == "hasOne")
    #expect(authors.associations["latest"]?.steps.first?.isToOne == false)
    #expect(authors.associations["inferred"]?.steps.first?.destinationColumns == ["authorId"])
  }

  @Test
  func `an association goes through others, and through those that go through others`() throws {
    let model = try model(
      """
      resources:
        countries:
          associations:
            everyTag: { hasMany: tags, through: novels, using: tags, filter: name <> 'x' }
            novels:   { hasMany: books, through: authors, using: novels }
        authors:
          associations:
            novels:   { from: books, filter: kind = 'novel', sort: -year }
            home:     { hasOne: countries, through: mentor, using: country }
            mentor:   { belongsTo: authors, foreignKey: [mentorId] }
      """)
    let countries = try #require(model.resources["countries"]).associations
    #expect(countries["novels"]?.steps.map(\.destination) == ["author", "book"])
    #expect(countries["novels"]?.sort.count == 1 && countries["novels"]?.filter != nil)
    let tags = try #require(countries["everyTag"])
    #expect(tags.steps.map(\.destination) == ["author", "book", "bookTag", "tag"])
    // The condition of the novels stays with them; the rest applies to the tags.
    #expect(tags.steps.map { $0.filter != nil } == [false, true, false, false])
    #expect(tags.filter != nil && tags.sort.isEmpty && tags.kind == "hasManyThrough")
    #expect(model.resources["authors"]?.associations["home"]?.kind == "hasOneThrough")
  }

  @Test
  func `a foreign key by its columns alone is that of the schema, or else leads to the primary key`() throws {
    let schema = """
      CREATE TABLE edition (isbn TEXT, printing INTEGER, PRIMARY KEY (isbn, printing));
      CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
      CREATE TABLE loan (id INTEGER PRIMARY KEY, isbn, printing, mail REFERENCES person (email), boss);
      """
    let model = try model(
      """
      resources:
        loans:
          associations:
            edition: { belongsTo: editions, foreignKey: [isbn, printing] }
            reversed: { belongsTo: editions, foreignKey: { printing: printing, isbn: isbn } }
            sender: { belongsTo: people, foreignKey: [mail] }
            boss_: { belongsTo: people, foreignKey: [boss] }
      """, of: schema)
    let loans = try #require(model.resources["loans"]).associations
    #expect(loans["edition"]?.steps.first?.destinationColumns == ["isbn", "printing"])
    #expect(loans["reversed"]?.steps.first?.destinationColumns == ["printing", "isbn"])
    #expect(loans["sender"]?.steps.first?.destinationColumns == ["email"])
    #expect(loans["boss_"]?.steps.first?.destinationColumns == ["id"])
    #expect(loans.values.allSatisfy { $0.steps.allSatisfy(\.isToOne) })
  }

  @Test
  func `a common table expression is a resource and a destination like a table`() throws {
    let model = try model(
      """
      resources:
        authors:
          associations:
            stats: { hasOne: authorStats, foreignKey: { authorId: id } }
        authorStats:
          sort: -n
          associations:
            author: { belongsTo: authors, foreignKey: [authorId] }
        totals: { table: total }
      commonTableExpressions:
        total:
          sql: SELECT sum(n) AS n FROM authorStats -- of another one
        authorStats:
          sql: SELECT authorId, COUNT(*) AS n FROM book WHERE authorId IS NOT NULL GROUP BY authorId ;
          key: [authorid]
        numbers:
          sql: |
            WITH RECURSIVE up (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM up WHERE n < 3)
            SELECT n FROM up
          key: [n]
      """)
    let stats = try #require(model.resources["authorStats"])
    #expect(stats.table.columns.map(\.name) == ["authorId", "n"])
    #expect(stats.table.columns.map(\.declaredType) == ["INTEGER", ""])
    #expect(stats.table.primaryKey == [0] && stats.table.isUnique(["authorId"]))
    #expect(stats.associations["author"]?.steps.first?.isToOne == true)
    #expect(model.resources["authors"]?.associations["stats"]?.steps.first?.isToOne == true)
    #expect(model.resources["numbers"]?.table.columns.map(\.name) == ["n"])
    #expect(model.resources["totals"]?.table.name == "total" && model.resources["total"] == nil)
    #expect(Array(model.resources.keys.suffix(3)) == ["totals", "authorStats", "numbers"])
  }

  @Test
  func `an order at the end of a query has no effect, which is a warning, unless a limit follows it`() throws
  {
    let model = try model(
      """
      commonTableExpressions:
        sorted: { sql: SELECT id FROM book ORDER BY title }
        first: { sql: SELECT id FROM book ORDER BY title LIMIT 1 }
        others: { sql: SELECT id FROM book ORDER BY title LIMIT -1 OFFSET 1 }
        numbered: { sql: SELECT row_number() OVER (ORDER BY title) AS n FROM (SELECT title FROM book ORDER BY id) }
      """)
    #expect(
      model.warnings.map { String($0.drop { $0 != ":" }) } == [
        ":2: `ORDER BY` without `LIMIT` has no effect in `sorted`; give the order by `sort` of the resource"
      ])
  }

  @Test
  func `a long chain of associations, one upon another, ends in an error and not in the stack`() throws {
    let links = (1...5000).map { "      a\($0): { from: a\($0 - 1) }" }.reversed().joined(separator: "\n")
    let text = "resources:\n  authors:\n    associations:\n\(links)\n      a0: { from: books }\n"
    #expect(throws: ModelFileError.self) { try model(text) }
    let doubled = (1...30).map {
      "      a\($0): { hasMany: authors, through: a\($0 - 1), using: a\($0 - 1) }"
    }
    let through =
      "resources:\n  authors:\n    associations:\n"
      + "      a0: { belongsTo: authors, foreignKey: [mentorId] }\n\(doubled.joined(separator: "\n"))\n"
    #expect(throws: ModelFileError.self) { try model(through) }
    #expect(throws: ModelFileError.self) {
      try ModelFileParser(path: "m").parse(String(repeating: "[", count: 100_000))
    }
    #expect(throws: ModelFileError.self) {
      try ModelFileParser(path: "m").parse(
        String(repeating: "[", count: 900) + String(repeating: "]", count: 900))
    }
  }
}

private let library = """
  CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE author (
    id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT REFERENCES country, mentorId INTEGER, email TEXT);
  CREATE TABLE book (
    id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT, kind TEXT, year INTEGER);
  CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE bookTag (bookId REFERENCES book, tagId REFERENCES tag, PRIMARY KEY (bookId, tagId));
  """

/// Returns the model of a database with a model file.
private func model(_ text: String?, of schema: String = library) throws -> Model {
  let connection = try Connection(path: ":memory:", access: .readWriteCreate)
  try connection.execute(schema)
  guard let text else { return Model(inferredFrom: try SchemaReader(connection).schema()) }
  return try ModelFileParser(path: "model.yaml").parse(text).model(of: ConnectionSchema(connection))
}

/// Returns a model as text, one line for each resource and association.
private func summary(_ text: String?) throws -> [String] {
  try model(text).resources.flatMap { name, resource in
    ["\(name): \(resource.table.name)"]
      + resource.associations.values.map { "\(name).\($0.key): \($0.kind) \($0.destination)" }
  }
}
