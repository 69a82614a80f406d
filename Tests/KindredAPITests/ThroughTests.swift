import Testing

@Suite("Associations of the model file, through others and through those")
struct ThroughTests {
  let library: TestDatabase

  init() throws {
    library = try TestDatabase(
      Library.schema + Library.records,
      modelFile: """
        resources:
          authors:
            associations:
              reviews: { hasMany: reviews, through: books, using: reviews }
              tags:    { hasMany: tags, through: books, using: tags }
              novels:  { from: books, filter: kind = 'novel', sort: -year }
              latest:  { hasOne: books, foreignKey: [authorId], sort: -year }
          countries:
            associations:
              books:   { hasMany: books, through: authors, using: books }
              tags:    { hasMany: tags, through: authors, using: tags }
              reviews: { hasMany: reviews, through: books, using: reviews }
              novels:  { hasMany: books, through: authors, using: novels }
          reviews:
            associations:
              author:  { hasOne: authors, through: book, using: author }
              stats:   { hasOne: bookStats, foreignKey: { bookId: bookId } }
        commonTableExpressions:
          bookStats:
            sql: SELECT bookId, COUNT(*) AS n, AVG(rating) AS mean FROM review GROUP BY bookId
            key: [bookId]
        """)
  }

  @Test
  func `through of through: each record once, however many ways lead to it`() throws {
    try expectRequest(
      "/countries?fields=code&include=tags&tags.values=name&annotate=tagCount", on: library,
      json: #"[{"code":"FR","tagCount":1,"tags":["work"]},{"code":"US","tagCount":2,"tags":["sea","work"]}]"#)
    try expectRequest(
      "/countries?fields=code&include=reviews&reviews.values=rating&annotate=reviewCount", on: library,
      json: #"[{"code":"FR","reviewCount":1,"reviews":[3]},{"code":"US","reviewCount":2,"reviews":[5,4]}]"#)
  }

  @Test
  func `a refined association keeps its condition and its order where others go through it`() throws {
    try expectRequest(
      "/countries?fields=code&include=novels&novels.values=title", on: library,
      json: #"[{"code":"FR","novels":["Truth","Germinal"]},{"code":"US","novels":["Moby-Dick","Omoo"]}]"#)
    try expectRequest(
      "/authors?fields=name&include=novels&novels.values=title&annotate=novelCount", on: library,
      json: """
        [{"name":"Melville","novelCount":2,"novels":["Moby-Dick","Omoo"]},
        {"name":"Zola","novelCount":2,"novels":["Truth","Germinal"]},{"name":"Anonymous","novelCount":0,"novels":[]}]
        """)
  }

  @Test
  func `hasOne through is joined, in filters and orders too`() throws {
    try expectRequest(
      "/reviews?fields=rating&include=author&author.fields=name&filter=author.deathYear>1800&sort=-author.name,rating",
      on: library,
      json: """
        [{"rating":3,"author":{"name":"Zola"}},{"rating":4,"author":{"name":"Melville"}},
        {"rating":5,"author":{"name":"Melville"}}]
        """)
  }

  @Test
  func `a common table expression is a destination like a table`() throws {
    try expectRequest(
      "/reviews?fields=rating&include=stats&stats.fields=n,mean&filter=stats.n>1", on: library,
      json: #"[{"rating":5,"stats":{"n":2,"mean":4.5}},{"rating":4,"stats":{"n":2,"mean":4.5}}]"#)
  }

  @Test
  func `a hasOne that the schema does not make unique gives the first record of its order`() throws {
    try expectRequest(
      "/authors?fields=name&include=latest&latest.fields=title", on: library,
      json: """
        [{"name":"Melville","latest":{"title":"Timoleon"}},{"name":"Zola","latest":{"title":"Truth"}},
        {"name":"Anonymous","latest":null}]
        """)
  }

  @Test
  func `the rows of a query that are records of a resource lend their associations to a way through them`()
    throws
  {
    let library = try TestDatabase(
      Library.schema + Library.records,
      modelFile: """
        resources:
          authors:
            associations:
              recent:  { hasMany: recentBooks, foreignKey: { authorId: id } }
              reviews: { hasMany: reviews, through: books, using: reviews }
              critics: { hasMany: reviews, through: recent, using: reviews }
        commonTableExpressions:
          recentBooks: { sql: SELECT * FROM book WHERE year >= 1880, as: books }
        """)
    #expect(
      try library.get("/authors?fields=id,n:critics.count").text
        == library.get("/authors?fields=id,n:reviews.filter(book.year>=1880).count").text)
  }
}
