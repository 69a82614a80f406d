import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredExplorer

@Suite("HTML")
struct HTMLTests {
  private func page(_ target: String, on database: TestDatabase, status: Int = 200) throws -> String {
    let answer = try database.answer(
      target, headers: ["Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])
    #expect(answer.status == status)
    #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
    #expect(answer.headers["Content-Security-Policy"] == ExplorerPage.policy)
    #expect(answer.text.hasPrefix("<!doctype html>") && answer.text.hasSuffix("</html>\n"))
    return answer.text
  }

  @Test
  func `records are a table, whose labels link to the records and whose associations have counts`() throws {
    let page = try page("/tags?limit=1", on: Library.database())
    #expect(
      page.contains(
        #"<th scope="col" data-column="id" data-input="number">id</th>"#
          + #"<th scope="col" data-column="name" data-input="text">name</th>"#))
    let cells = [
      #"<td data-kind="number">1</td><th scope="row"><a href="/tags/1">sea</a></th>"#,
      #"<td data-kind="association" data-key="bookTags">"#,
      #"<a href="/tags/1/bookTags"><span class="k">bookTags</span> 2</a></td>"#,
      #"<td data-kind="association" data-key="books">"#,
      #"<a href="/tags/1/books"><span class="k">books</span> 2</a></td>"#,
    ]
    #expect(page.contains("<tr data-href=\"/tags/1\">\(cells.joined())</tr>"))
    #expect(page.contains(#"<a rel="next" href="/tags?limit=1&amp;after="#))
    #expect(page.contains(#"<a rel="first" href="/tags?limit=1">first</a>"#))
    #expect(page.contains(#"<a rel="last" href="/tags?limit=1&amp;before=">last</a>"#))
    let last = try self.page("/tags?limit=1&before=", on: Library.database())
    #expect(last.contains(#">previous</a>"#) && !last.contains(#"<a rel="next""#))
    #expect(page.contains(#"<h1 translate="no">/tags?limit=1</h1>"#))
  }

  @Test
  func `a foreign key shows the label of what it refers to, and links to it`() throws {
    let database = try Library.database()
    #expect(
      try page("/books/1", on: database).contains(
        #"<td data-kind="reference"><a href="/authors/1">Melville</a> <span data-kind="number">1</span></td>"#
      ))
    // Labels aren't added to groups and distinct results, which they would change.
    #expect(!(try page("/books?fields=authorId&distinct=true", on: database)).contains("Melville"))
  }

  @Test
  func `a table says how its columns are named and typed, and what may be changed`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE thing ("a b" TEXT, day DATE, done BOOLEAN, meta JSON, bytes BLOB, loose);
      INSERT INTO thing VALUES ('x', '2024-01-02', 1, '[1]', x'CAFE', 7);
      """)
    let things = try page("/things?sort=-\"a b\"", on: database)
    for (term, input) in [
      ("&quot;a b&quot;", "text"), ("day", "date"), ("done", "boolean"), ("meta", "json"), ("bytes", "bytes"),
      ("loose", "any"),
    ] {
      #expect(things.contains("data-column=\"\(term)\" data-input=\"\(input)\""), "\(term)")
    }
    #expect(things.contains(#"data-input="text" aria-sort="descending">a b</th>"#))
    let renamed = try page("/things?fields=other:\"a b\"", on: database)
    #expect(renamed.contains(#"data-name="a b" data-input="text">other</th>"#))
    #expect(things.contains(#"<td data-kind="boolean">true</td>"#))
    #expect(things.contains(#"<td data-kind="bytes">yv4=</td>"#))
    #expect(things.contains(#"data-changes="POST PATCH DELETE""#))
    let library = try Library.database()
    let groups = try page("/books?group=kind&fields=kind,n:count()&sort=n", on: library)
    #expect(
      groups.contains(#"data-input="text" data-key>kind</th><th scope="col" aria-sort="ascending">n</th>"#))
    let employees = try page("/employees?include=team:employeesByManager*", on: library)
    #expect(employees.contains(#"data-repeats="team""#))
  }

  @Test
  func `what a record includes stands below it, under its name`() throws {
    let page = try page(
      "/books/1?include=author,reviews&fields=title&reviews.values=rating", on: Library.database())
    #expect(page.contains(#"<main id="data" tabindex="-1" class="single">"#))
    #expect(
      page.contains(
        #"aria-label="author of Moby-Dick"><caption><a href="/books/1/author">author</a></caption>"#))
    #expect(page.contains(#"<ul><li>5</li>"#))
    #expect(page.contains(#"<a href="/authors/1/country">"#))
    // The key isn't shown, but the links contain it.
    #expect(page.contains(#"<a href="/books/1">Moby-Dick</a>"#))
  }

  @Test
  func `associated records are tables below the row`() throws {
    let page = try page("/authors?include=books.author&books.limit=1&limit=1", on: Library.database())
    #expect(page.contains(#"<tr class="below" data-key="books">"#))
    #expect(page.contains(#"aria-label="books of Melville""#))
    #expect(page.contains(#"<a href="/books/1">Moby-Dick</a>"#))
    #expect(page.contains(#"<a href="/books/1/reviews">"#))
  }

  @Test
  func `what repeats below itself does so on the page`() throws {
    let page = try page(
      "/employees?filter=managerId is null&include=employeesByManager*2&fields=id,name",
      on: Library.database())
    #expect(page.contains(">Di</a>"))
    #expect(page.contains(#"<a href="/employees/4/manager">"#))
  }

  @Test
  func `composite keys, and keys that mean something in URLs`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE stamp (country TEXT, number INTEGER, name TEXT, PRIMARY KEY (country, number));
      CREATE TABLE dot (key TEXT PRIMARY KEY);
      INSERT INTO stamp VALUES ('a/b,c=d', 7, 'x');
      INSERT INTO dot VALUES ('..'), (''), ('a.b'), (NULL);
      """)
    #expect(try page("/stamps", on: database).contains(#"href="/stamps/a%2Fb%2Cc%3Dd,7""#))
    #expect(try database.answer("/stamps/a%2Fb%2Cc%3Dd,7").status == 200)
    let dots = try page("/dots", on: database)
    // Browsers remove `..`, so the key is written by name.
    for address in ["/dots/key=..", "/dots/key=", "/dots/a.b"] {
      #expect(dots.contains("href=\"\(address)\""))
      #expect(try database.answer(address).status == 200)
    }
    #expect(dots.contains(#"<a></a> <span data-kind="null"><i>null</i></span>"#))
    // A blank label isn't used as the text of a link.
    #expect(dots.contains(#"<a href="/dots/key="></a> <span></span>"#))
  }

  @Test
  func `nothing of the data or of the URL is taken for markup`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, "<b>" TEXT, name TEXT);
      CREATE TABLE line (id INTEGER PRIMARY KEY, noteId INTEGER REFERENCES note(id), title TEXT);
      INSERT INTO note VALUES (1, '<script>alert("1")</script>', '"><script>'), (2, 'a & b''s', 'x'),
        (3, 'nul' || char(1) || 'x', 'y');
      INSERT INTO line VALUES (1, 1, '<script>');
      """)
    let page = try page("/notes?filter=id<4&annotate=x:'<img src=x>'&include=lines", on: database)
    #expect(
      !page.contains("<script>") && !page.contains("<b>") && !page.contains("<img"))
    #expect(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"))
    #expect(page.contains(#"aria-label="lines of &quot;&gt;&lt;script&gt;""#))
    #expect(page.contains("a &amp; b&#39;s"))
    #expect(page.contains("nul\u{FFFD}x"))
  }

  @Test
  func `of records without a key there are no addresses`() throws {
    let database = try TestDatabase(
      Library.schema + "CREATE VIEW title AS SELECT title FROM book;" + Library.records)
    #expect(try page("/titles", on: database).contains(#"<tr><th scope="row">Beowulf</th></tr>"#))
    let groups = try page("/books?group=kind&fields=kind,id:count()", on: database)
    #expect(!groups.contains("href=\"/books/"))
  }

  @Test
  func `associated records are counted up to a limit, and not where that takes a scan`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent(id));
      CREATE TABLE stray (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent(id));
      CREATE INDEX childOnParent ON child(parentId);
      INSERT INTO parent VALUES (1), (2);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO child SELECT i, 1 FROM n;
      """)
    let page = try page("/parents", on: database)
    #expect(page.contains(#"<span class="k">children</span> 999+</a>"#))
    #expect(page.contains(#"<span class="k">children</span> 0</a>"#))
    #expect(page.contains(#"<span class="k">strays</span></a>"#))
  }

  @Test
  func `the index links to every resource`() throws {
    #expect(try page("/", on: Library.database()).contains(#"<a href="/bookTags">bookTags</a>"#))
  }

  @Test
  func `a large page is sent as it is read, and is complete`() throws {
    let page = try page("/books?limit=1000", on: Library.largeDatabase())
    #expect(page.contains("Book number 1000</a>"))
  }

  @Test(arguments: [
    ("/autors", 404, "/<mark>autors</mark>", "/authors"),
    (
      "/authors?filter=deathYear>1 and nmae='日'", 400, "and <mark>nmae</mark>=&#39;日&#39;",
      "name=&#39;%E6%97%A5&#39;"
    ),
    ("/authors?inclued=books", 400, "<mark>inclued</mark>=books", "?include=books"),
    ("/authors?include=books&books.flter=year>1", 400, "<mark>books.flter</mark>=year", "books.filter="),
  ])
  func `an error is a page that marks the word and links to what was meant`(
    target: String, status: Int, marked: String, mended: String
  ) throws {
    let page = try page(target, on: Library.database(), status: status)
    #expect(page.contains(#"role="alert""#))
    #expect(page.contains(marked))
    #expect(page.contains(mended))
  }

  @Test
  func `the files of a page are there for ever, under their own hash only`() throws {
    let database = try Library.database()
    let path = ExplorerAssets.shared.path
    #expect(try page("/", on: database).contains("src=\"\(path)/explorer.js\""))
    let script = try database.answer("\(path)/explorer.js")
    #expect(script.headers["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(script.headers["Cache-Control"] == "public, max-age=31536000, immutable")
    #expect(try database.answer("/-/explorer/0/explorer.js").status == 404)
    #expect(try database.answer("\(path)/../explorer.js").status == 404)
  }
}
