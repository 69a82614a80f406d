import KindredHTTP
import KindredPostgreSQL
import KindredPostgreSQLBackend
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct ReadingTests {
  static let library = """
    CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL, death int);
    CREATE TABLE book (id int PRIMARY KEY, author_id int REFERENCES author, title text NOT NULL, year int);
    CREATE TABLE review (id int PRIMARY KEY, book_id int REFERENCES book, rating numeric(3,1));
    CREATE INDEX ON book (author_id, year);
    CREATE INDEX ON review (book_id);
    INSERT INTO author VALUES (1, 'Melville', 1891), (2, 'Hugo', 1885), (3, 'Nobody', NULL);
    INSERT INTO book VALUES (1, 1, 'Moby-Dick', 1851), (2, 1, 'Billy Budd', 1924), (3, 2, 'Notre-Dame', 1831),
      (4, 2, 'Les Misérables', 1862), (5, NULL, 'Beowulf', NULL);
    INSERT INTO review VALUES (1, 1, 4.5), (2, 1, 3), (3, 3, 5), (4, 5, 4)
    """

  private let served: Served

  init() throws {
    served = try Served(
      contentsOf: Self.library.split(separator: ";\n").map(String.init))
  }

  @Test
  func `a group by a joined record has aggregates of that record, without an index too`() throws {
    let served = try Served(
      "CREATE TABLE book (id int PRIMARY KEY)",
      "CREATE TABLE review (id int PRIMARY KEY, book_id int REFERENCES book)",
      "INSERT INTO book VALUES (1), (2)", "INSERT INTO review VALUES (1, 1), (2, 1), (3, 2)")
    #expect(
      served.text("/reviews?group=book.id&fields=key:book.id,n:count(),every:book.reviews.count&sort=book.id")
        == #"[{"key":1,"n":2,"every":2},{"key":2,"n":1,"every":1}]"#)
  }

  @Test
  func `associations are nested, each record below its own`() {
    #expect(
      served.text("/authors?fields=name&include=books.reviews&books.fields=title&books.reviews.values=rating")
        == #"[{"name":"Melville","books":[{"title":"Moby-Dick","reviews":[4.5,3.0]},{"title":"Billy Budd","reviews":[]}]},{"name":"Hugo","books":[{"title":"Notre-Dame","reviews":[5.0]},{"title":"Les Misérables","reviews":[]}]},{"name":"Nobody","books":[]}]"#
    )
  }

  @Test
  func `records that share a key share what is below, each at every place`() {
    #expect(
      served.text("/books?fields=id&include=author.books&author.fields=name&author.books.values=id")
        == #"[{"id":1,"author":{"name":"Melville","books":[1,2]}},{"id":2,"author":{"name":"Melville","books":[1,2]}},{"id":3,"author":{"name":"Hugo","books":[3,4]}},{"id":4,"author":{"name":"Hugo","books":[3,4]}},{"id":5,"author":null}]"#
    )
  }

  @Test
  func `limits and orders are those of each parent`() {
    #expect(
      served.text("/authors?fields=id&include=books&books.values=title&books.sort=-year&books.limit=1")
        == #"[{"id":1,"books":["Billy Budd"]},{"id":2,"books":["Les Misérables"]},{"id":3,"books":[]}]"#)
  }

  @Test
  func `conditions on records above hold at each depth`() {
    #expect(
      served.text("/authors?fields=id&include=books&books.values=title&books.filter=year>../death")
        == #"[{"id":1,"books":["Billy Budd"]},{"id":2,"books":[]},{"id":3,"books":[]}]"#)
    #expect(
      served.text(
        "/authors?fields=id&filter=id=2&include=books.reviews&books.fields=id&books.reviews.values=id&books.reviews.filter=book_id>../../id"
      ) == #"[{"id":2,"books":[{"id":3,"reviews":[3]},{"id":4,"reviews":[]}]}]"#)
  }

  @Test
  func `paths lead through associations`() {
    #expect(served.text("/authors/1/books/1/reviews?fields=rating") == #"[{"rating":4.5},{"rating":3.0}]"#)
    #expect(served.text("/reviews/3/book/author?fields=name") == #"{"name":"Hugo"}"#)
    #expect(served.get("/authors/1/books/3").status == .notFound)
    #expect(served.get("/authors/9").status == .notFound)
  }

  @Test
  func `aggregates, counts, and required associations`() {
    let response = served.get("/authors?fields=name&annotate=bookCount&join=books!&count=true")
    #expect(response.headers["X-Total-Count"] == "2")
    #expect(
      served.text("/authors?fields=name&annotate=bookCount&join=books!")
        == #"[{"name":"Melville","bookCount":2},{"name":"Hugo","bookCount":2}]"#)
  }

  @Test
  func `pages follow one another, over NULLs too`() throws {
    var url: String? = "/books?fields=id&sort=year&limit=2"
    var pages: [String] = []
    while let next = url {
      let response = served.get(next)
      pages.append(served.text(next))
      url = response.headers["Link"].flatMap { link in
        link.split(separator: ",").first { $0.contains("rel=\"next\"") }
          .flatMap { $0.split(separator: "<").last?.split(separator: ">").first }.map(String.init)
      }
    }
    #expect(
      pages == [#"[{"id":5},{"id":3}]"#, #"[{"id":1},{"id":4}]"#, #"[{"id":2}]"#])
  }

  @Test
  func `a literal that the column can't be compared with is the client's error`() {
    #expect(served.text("/books?fields=id&filter=year='1851'") == #"[{"id":1}]"#)
    #expect(served.get("/books?filter=year='soon'").status == .badRequest)
    #expect(served.get("/books?filter=title='a%00b'").status.code < 500)
  }

  @Test
  func `records that repeat below themselves end where a record would be its own ancestor`() throws {
    try served.run("CREATE TABLE employee (id int PRIMARY KEY, boss_id int REFERENCES employee)")
    try served.run("INSERT INTO employee VALUES (1, NULL), (2, 1), (3, 2), (4, 1), (5, 6), (6, 5)")
    let served = try served.reopened()
    #expect(
      served.text("/employees?fields=id&filter=boss_id is null&include=s:employeesByBoss*&s.fields=id")
        == #"[{"id":1,"s":[{"id":2,"s":[{"id":3,"s":[]}]},{"id":4,"s":[]}]}]"#)
    #expect(
      served.text("/employees/5?fields=id&include=s:employeesByBoss*&s.fields=id")
        == #"{"id":5,"s":[{"id":6,"s":[]}]}"#)
  }

  @Test
  func `collections without a limit come whole, batch after batch`() throws {
    try served.run("INSERT INTO author SELECT n, 'a' || n, NULL FROM generate_series(10, 4009) n")
    try served.run("INSERT INTO book SELECT n, n, 'b' || n, 2000 FROM generate_series(10, 4009) n")
    let text = served.text(
      "/authors?fields=id&include=books&books.values=id", headers: ["Accept": "application/x-ndjson"])
    let lines = text.split(separator: "\n")
    #expect(lines.count == 4003)
    #expect(lines.last == #"{"id":4009,"books":[4009]}"#)
  }

  @Test(arguments: [1, 7, 1000])
  func `children of any number come whole, below one parent and below many`(level: Int) throws {
    try served.run("INSERT INTO author SELECT n, 'a' || n, NULL FROM generate_series(10, 40) n")
    try served.run(
      "INSERT INTO book SELECT n, CASE WHEN n % 2 = 0 THEN 20 ELSE 10 + n % 31 END, 'b' || n, n FROM generate_series(10, 609) n"
    )
    try served.run("INSERT INTO review SELECT n, 10 + n % 600, n % 5 FROM generate_series(10, 1009) n")
    try served.run("INSERT INTO review SELECT n, 12, n % 5 FROM generate_series(6000, 6400) n")
    let small = try served.reopened(batches: BatchSizes(first: 3, largest: 5, level: level))
    for url in [
      "/authors?include=books.reviews&limit=100", "/authors/20?include=books.reviews",
      "/books/12?include=reviews,author.books", "/authors?include=books.reviews&books.limit=20&limit=100",
      "/books?include=author.books&limit=4&filter=id>9", "/authors?include=books&books.sort=-year&limit=100",
    ] {
      // Neither text is shown, since both are long.
      let isSame = small.text(url) == served.text(url)
      #expect(isSame, "\(url)")
    }
  }

  @Test
  func `reading changes nothing, whatever a view calls`() throws {
    try served.run(
      "CREATE FUNCTION write() RETURNS int LANGUAGE sql VOLATILE AS $$ INSERT INTO author VALUES (99, 'x') RETURNING id $$"
    )
    try served.run("CREATE VIEW written AS SELECT write() AS id")
    let served = try served.reopened()
    for url in ["/writtens", "/writtens?limit=1", "/writtens?limit=1&count=true"] {
      #expect(served.get(url).status.code >= 400, "\(url)")
    }
    #expect(served.text("/authors?filter=id=99") == "[]")
  }

  @Test
  func `pages have any size, whether it is common or not`() throws {
    try served.run("INSERT INTO author SELECT n, 'a' || n, NULL FROM generate_series(10, 1100) n")
    for size in [1, 2, 10, 11, 55, 56, 100, 150, 151, 1000] {
      let page = served.get("/authors?fields=id&limit=\(size)")
      #expect(page.body.text.split(separator: ",").count == size)
      #expect(page.headers["Link"]?.contains("next") == true)
    }
    #expect(served.text("/authors?fields=id&limit=0") == "[]")
    #expect(
      served.text("/books?filter=year<1900 and id<3&limit=5&fields=title") == #"[{"title":"Moby-Dick"}]"#)
    for size in [5, 7] {
      let answer = served.text("/books?filter=year='soon'&limit=\(size)")
      #expect(answer.hasPrefix("400") && answer.contains(#""parameter":"filter""#), "\(answer)")
    }
  }

  @Test
  func `a value that a type of an extension does not take is refused`() throws {
    guard (try? served.run("CREATE EXTENSION hstore")) != nil else { return }
    try served.run("CREATE TABLE item (id int PRIMARY KEY, tags hstore)")
    try served.run("INSERT INTO item VALUES (1, 'a=>1')")
    let served = try served.reopened(isWritable: true)
    #expect(served.text("/items?filter=tags='a=>1'&fields=id") == #"[{"id":1}]"#)
    #expect(served.text("/items?filter=tags='a'").hasPrefix("400"))
    #expect(served.send(.post, "/items", #"{"id":2,"tags":"a"}"#).hasPrefix("422"))
  }

  @Test
  func `records are ranked by an aggregate that they are filtered by`() {
    #expect(
      served.text(
        "/authors?fields=id&annotate=bookCount,maxBookYear&having=books.count>=0&sort=-bookCount&limit=10")
        == #"[{"id":1,"bookCount":2,"maxBookYear":1924},{"id":2,"bookCount":2,"maxBookYear":1862},{"id":3,"bookCount":0,"maxBookYear":null}]"#
    )
    #expect(
      served.text("/authors?fields=id&having=abs(books.max(year))<1900&sort=books.max(year)&limit=10")
        == #"[{"id":2}]"#)
    let plan = served.text("/authors?having=books.count>=1&sort=-books.count&limit=10&explain=true")
    #expect(plan.contains("GROUP BY"), "\(plan)")
  }

  @Test
  func `nothing has changed before a commit`() throws {
    let first = served.get("/authors?include=books")
    let tag = try #require(first.headers["ETag"])
    #expect(served.get("/authors?include=books", headers: ["If-None-Match": tag]).status == .notModified)
    try served.run("UPDATE author SET name = 'Herman Melville' WHERE id = 1")
    #expect(served.get("/authors?include=books", headers: ["If-None-Match": tag]).status == .ok)
  }

  @Test
  func `a single record hasn't changed before a commit`() throws {
    let tag = try #require(served.get("/authors/1").headers["ETag"])
    let known: HTTPHeaders = ["If-None-Match": tag]
    #expect(served.get("/authors/1", headers: known).status == .notModified)
    try served.run("UPDATE author SET name = 'Victor Hugo' WHERE id = 2")
    #expect(served.get("/authors/1", headers: known).status == .notModified)
    try served.run("UPDATE author SET name = 'Herman Melville' WHERE id = 1")
    #expect(served.text("/authors/1?fields=name", headers: known) == #"{"name":"Herman Melville"}"#)
    #expect(served.get("/authors/1?filter=name='a", headers: known).status == .badRequest)
    #expect(served.get("/authors/9", headers: known).status == .notFound)
  }

  /// Requests that show `n`, the number of books, next to books.
  static let counting = [
    "/authors?fields=id&annotate=N&include=books.reviews&books.annotate=m:reviews.count",
    "/authors?fields=id&annotate=N&include=books&sort=-books.count&limit=2",
    "/authors?fields=id&annotate=N&include=books&having=books.count>1&count=true",
    "/authors?fields=id&annotate=N&include=books&books.filter=year>1900",
    "/authors?fields=id&annotate=N&include=books&books.limit=1",
    "/authors?fields=id&annotate=N&include=books,all:books&all.values=id",
    "/authors?fields=id&annotate=N&include=books.reviews&books.reviews.filter=id>=../../books.count",
    "/authors?annotate=N,twice:2*books.count&include=books&fields=id",
    "/authors/2?annotate=N&include=books", "/authors/3?annotate=N&include=books",
    "/authors/1/books?include=author.books&author.annotate=N",
    "/books?fields=id&include=author.books&author.fields=id&author.annotate=N",
    "/authors?fields=id&annotate=N&include=books&join=books!",
  ]

  @Test(arguments: [
    BatchSizes(), BatchSizes(first: 1, largest: 2, level: 2), BatchSizes(first: 3, largest: 3, level: 1),
  ])
  func `the number of records that are read is theirs, however many are read at once`(batches: BatchSizes)
    throws
  {
    try served.run("INSERT INTO book SELECT n, 2, 'b' || n, 1900 + n FROM generate_series(10, 14) n")
    let served = try served.reopened(batches: batches)
    for url in Self.counting {
      for type in ["application/json", "application/x-ndjson", "text/html"] {
        // The condition holds for all, but makes it the number of some records.
        let (all, some) = ("n:books.count", "n:books.filter(id>0).count")
        let headers: HTTPHeaders = ["Accept": type]
        let counted = served.text(url.replacing("N", with: all), headers: headers)
        let selected = served.text(url.replacing("N", with: some), headers: headers)
        if type != "text/html" { #expect(counted == selected, "\(url)") }
        #expect(!counted.hasPrefix("400"), "\(url): \(counted)")
      }
    }
  }

  @Test
  func `records that are read are not counted again`() {
    func root(_ url: String) -> Substring {
      served.text(url + "&explain=true").split(separator: "\"node\":\"books\"")[0]
    }
    #expect(!root("/authors?annotate=bookCount&include=books").contains("count(*)"))
    #expect(!root("/authors?annotate=bookCount&include=books.reviews&limit=0").contains("count(*)"))
    #expect(root("/authors?annotate=bookCount&include=books&books.limit=1").contains("count(*)"))
    #expect(root("/authors?annotate=bookCount&include=books&books.filter=year>1900").contains("count(*)"))
    #expect(root("/authors?annotate=bookCount&include=books&sort=bookCount").contains("count(*)"))
    #expect(root("/authors?annotate=bookCount&join=books&include=books.reviews").contains("count(*)"))
  }

  @Test
  func `a long record is read again for its content from the results that gave its tag`() throws {
    try served.run(
      "INSERT INTO book SELECT n, n % 3 + 1, repeat('b', 5000), 2000 FROM generate_series(10, 999) n")
    let served = try served.reopened(batches: BatchSizes(level: 5000))
    let first = served.get("/authors/1?include=books&annotate=bookCount")
    let text = first.body.text
    #expect(text.utf8.count > 3 << 19)
    #expect(text.contains(#""bookCount":33"#))
    let again = served.get("/authors/1?include=books&annotate=bookCount")
    #expect(again.headers["ETag"] == first.headers["ETag"])
    #expect(again.body.text == text)
    let narrow = try served.reopened(batches: BatchSizes(first: 10, largest: 10, level: 50))
    let parts = narrow.get("/authors/1?include=books&annotate=bookCount")
    #expect(parts.headers["ETag"] == first.headers["ETag"])
    #expect(parts.body.text == text)
  }

  @Test
  func `a connection that is lost is replaced before the first byte`() throws {
    #expect(served.text("/authors/1?fields=id") == #"{"id":1}"#)
    try served.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    #expect(served.text("/authors/1?fields=id") == #"{"id":1}"#)
  }

  @Test
  func `the plan is PostgreSQL's, for each statement`() {
    let text = served.text("/authors?include=books&explain=true")
    #expect(text.contains("ANY($1::int8[])"))
    #expect(text.contains("Scan"))
    #expect(!text.contains("CREATE INDEX"))
  }
}
