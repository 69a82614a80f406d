import Kindred
import Testing

@Suite("The guide: building requests")
struct Requests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  func `including one record`() throws {
    // Sample: including
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author?
    }

    let request =
      Book
      .including(optional: Book.author)
      .asRequest(of: BookInfo.self)
    // End
    #expect(try dbQueue.all(request).map(\.author?.id) == [1, 1, 1, 2, 2, 3, nil])

    // Sample: required
    struct AuthoredBook: Decodable, FetchableRecord {
      var book: Book
      var author: Author
    }

    let authored = Book.including(required: Book.author).asRequest(of: AuthoredBook.self)
    // End
    #expect(try dbQueue.all(authored).count == 6)
  }

  @Test
  func `including collections`() throws {
    // Sample: all
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
      var countries: [Country]
    }

    let request =
      Author
      .including(all: Author.books)
      .including(all: Author.countries)
      .asRequest(of: AuthorInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.map(\.books.count) == [3, 2, 1, 0])
    #expect(infos.map(\.countries.count) == [1, 1, 2, 0])

    // Sample: titles
    struct Bibliography: Decodable, FetchableRecord {
      var name: String
      var titles: [String]
    }

    let titles = Author.books.select(Column("title")).order(Column("year")).forKey("titles")
    let bibliographies = Author.including(all: titles).asRequest(of: Bibliography.self)
    // End
    #expect(
      try dbQueue.all(bibliographies).map(\.titles) == [
        ["Hernani", "Les Misérables", "Toilers of the Sea"], ["Moby-Dick", "Billy Budd"], ["Frankenstein"],
        [],
      ])
  }

  @Test
  func `columns of another record`() throws {
    // Sample: annotated
    struct BookLine: Decodable, FetchableRecord {
      var title: String
      var authorName: String?
    }

    let request =
      Book
      .annotated(withOptional: Book.author.select(Column("name").forKey("authorName")))
      .asRequest(of: BookLine.self)
    // End
    #expect(try dbQueue.all(request).map(\.authorName)[5...6] == ["Mary Shelley", nil])
  }

  @Test
  func `joining another table`() throws {
    // Sample: joining
    let french = Author.country.filter(Column("name") == "France")
    let request = Book.joining(required: Book.author.joining(required: french))
    // End
    #expect(try dbQueue.all(request).map(\.id) == [1, 2, 3])
  }

  @Test
  func `several associations at once, and nested ones`() throws {
    // Sample: combining
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author?
      var country: Country?
      var reviews: [Review]
    }

    let request =
      Book
      .including(optional: Book.author.including(optional: Author.country))
      .including(all: Book.reviews)
      .asRequest(of: BookInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.map(\.country?.code) == ["FR", "FR", "FR", "US", "US", "GB", nil])
    #expect(infos.map(\.reviews.count) == [0, 2, 0, 1, 0, 1, 0])

    // Sample: nested
    struct CountryInfo: Decodable, FetchableRecord {
      struct AuthorInfo: Decodable {
        var author: Author
        var books: [Book]
      }

      var country: Country
      var authors: [AuthorInfo]
    }

    let countries =
      Country
      .including(all: Country.authors.including(all: Author.books))
      .asRequest(of: CountryInfo.self)
    // End
    #expect(try dbQueue.all(countries).map { $0.authors.map(\.books.count) } == [[3], [1], [2]])
  }

  @Test
  func `required behind optional`() throws {
    // Sample: behind
    let british = Author.country.filter(Column("code") == "GB")
    let request = Book.including(optional: Book.author.including(required: british))
    // End
    let rows = try dbQueue.read { db in try Row.fetchAll(db, request) }
    #expect(rows.map { $0.scopes["author"]?["name"] as String? }[4...6] == [nil, "Mary Shelley", nil])
    #expect(rows.count == 7)
  }

  @Test
  func `associations with a filter`() throws {
    // Sample: filtering
    let novels = Author.books.filter(Column("kind") == "novel")

    // Authors of a novel
    let novelists = Author.joining(required: novels).distinct()
    // All authors, with their novels if there are any
    let everyone = Author.including(all: novels)
    // Authors without a novel
    let others = Author.having(novels.isEmpty)
    // End
    #expect(try dbQueue.all(novelists).map(\.id) == [1, 2, 3])
    #expect(try dbQueue.all(everyone).count == 4)
    #expect(try dbQueue.all(others).map(\.id) == [4])
  }

  @Test
  func `ordering and limits`() throws {
    // Sample: ordering
    let byAuthor = Book.including(required: Book.author.order(Column("name")))
    let byYear = byAuthor.order(Column("year"))  // by year, then by name
    // End
    #expect(try dbQueue.all(byAuthor).map(\.authorId) == [2, 2, 3, 1, 1, 1])
    #expect(try dbQueue.all(byYear).map(\.id) == [6, 1, 4, 2, 3, 5])

    // Sample: limits
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var latestBooks: [Book]
    }

    let latest = Author.books.order(Column("year").desc).limit(2).forKey("latestBooks")
    let request = Author.including(all: latest).asRequest(of: AuthorInfo.self)
    // End
    #expect(try dbQueue.all(request).map { $0.latestBooks.map(\.id) } == [[3, 2], [5, 4], [6], []])
  }

  @Test
  func `groups and distinct values in collections`() throws {
    // Sample: groups
    struct AuthorInfo: Decodable, FetchableRecord {
      struct KindInfo: Decodable {
        var kind: Book.Kind
        var lastYear: Int
      }

      var author: Author
      var kinds: Set<Book.Kind>
      var lastYears: [KindInfo]
    }

    let kinds = Author.books.select(Column("kind")).distinct().forKey("kinds")
    let lastYears = Author.books
      .select(Column("kind"), max(Column("year")).forKey("lastYear"))
      .group(Column("kind"))
      .forKey("lastYears")
    let request =
      Author
      .including(all: kinds)
      .including(all: lastYears)
      .asRequest(of: AuthorInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.map(\.kinds) == [[.novel, .theatre], [.novel], [.novel], []])
    #expect(infos.map { $0.lastYears.map(\.lastYear).sorted() } == [[1830, 1866], [1924], [1818], []])
  }

  @Test
  func `aliases of tables`() throws {
    // Sample: alias
    let author = TableAlias()
    let posthumous =
      Book
      .joining(required: Book.author.aliased(author))
      .filter(Column("year") > author[Column("deathYear")])
    // End
    #expect(try dbQueue.all(posthumous).map(\.title) == ["Billy Budd"])

    // Sample: aliasAcross
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
    }

    let writer = TableAlias()
    let request =
      Author
      .aliased(writer)
      .including(all: Author.books.filter(Column("year") > writer[Column("deathYear")]))
      .asRequest(of: AuthorInfo.self)
    // End
    #expect(try dbQueue.all(request).map { $0.books.map(\.id) } == [[], [5], [], []])

    // Sample: aliasName
    let book = TableAlias(name: "b")
    let person = TableAlias(name: "a")
    let young =
      Book
      .aliased(book)
      .joining(required: Book.author.aliased(person))
      .filter(sql: "b.year - a.birthYear < ?", arguments: [30])
    // End
    #expect(try dbQueue.all(young).map(\.id) == [1, 6])
  }

  @Test
  func `what is said in several places`() throws {
    // Sample: merging
    let french = Book.joining(required: Book.author.filter(Column("countryCode") == "FR"))
    let request = french.including(optional: Book.author.select(Column("name")))
    // One join: required, included, filtered, and only the name selected.
    // End
    let rows = try dbQueue.read { db in try Row.fetchAll(db, request) }
    #expect(
      rows.map { $0.scopes["author"]?.description } == Array(repeating: #"[name:"Victor Hugo"]"#, count: 3))
  }

  @Test
  func `which SQL`() throws {
    let request = Book.including(required: Book.author)
    // Sample: sql
    let sql = try dbQueue.read { db in try request.prepare(db).0.sql }
    // End
    #expect(sql.contains(#"FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#))
  }
}

// Sample: review
struct Review: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var bookId: Int64
  var stars: Int
}

extension Book {
  static let reviews = hasMany(Review.self)
}

extension Country {
  static let authors = hasMany(Author.self)
}
// End
