import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("HTML")
struct HTMLTests {
  private func page(_ target: String, on database: TestDatabase) throws -> String {
    let answer = try database.answer(
      target, headers: ["Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])
    #expect(answer.status == 200)
    #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
    #expect(answer.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(answer.text.hasPrefix("<!doctype html>") && answer.text.hasSuffix("</html>\n"))
    return answer.text
  }

  @Test("records are a table, each with links to itself and along its associations")
  func table() throws {
    let page = try page("/tags?limit=1", on: Library.database())
    #expect(page.contains("<th>id</th><th>name</th>"))
    #expect(
      page.contains(
        #"<tr><td>1</td><td>sea</td><td><a href="/tags/1">record</a> <a href="/tags/1/bookTags">bookTags</a> "#
          + #"<a href="/tags/1/books">books</a> </td></tr>"#))
    #expect(page.contains(#"<a rel="next" href="/tags?limit=1&amp;after="#))
    #expect(page.contains(#"<a rel="first" href="/tags?limit=1">"#))
    #expect(page.contains("<h1>/tags?limit=1</h1>"))
  }

  @Test("a single record is a list; what it includes stands in it")
  func record() throws {
    let page = try page(
      "/books/1?include=author,reviews&fields=title&reviews.values=rating", on: Library.database())
    #expect(page.contains("<dl><dt>title</dt><dd>Moby-Dick</dd><dt>author</dt><dd><dl><dt>id</dt><dd>1</dd>"))
    #expect(page.contains("<dt>reviews</dt><dd><ul><li>5</li><li>4</li></ul></dd>"))
    #expect(page.contains(#"<a href="/authors/1/country">country</a>"#))
    // The book's own key isn't shown, so there is nothing to make its address of.
    #expect(!page.contains(#"href="/books/1""#))
  }

  @Test("associated records are tables in the table")
  func nested() throws {
    let page = try page("/authors?include=books.author&books.limit=1&limit=1", on: Library.database())
    #expect(page.contains("<th>books</th>"))
    #expect(page.contains("<td>Moby-Dick</td>"))
    #expect(page.contains(#"<a href="/books/1/reviews">reviews</a>"#))
  }

  @Test("what repeats below itself does so on the page")
  func recursion() throws {
    let page = try page(
      "/employees?filter=managerId is null&include=employeesByManager*2&fields=id,name",
      on: Library.database())
    #expect(page.contains("<td>Di</td>"))
    #expect(page.contains(#"<a href="/employees/4/manager">manager</a>"#))
  }

  @Test("composite keys, and keys that mean something in URLs")
  func keys() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE stamp (country TEXT, number INTEGER, name TEXT, PRIMARY KEY (country, number));
      INSERT INTO stamp VALUES ('a/b,c=d', 7, 'x');
      """)
    let page = try page("/stamps", on: database)
    #expect(page.contains(#"href="/stamps/a%2Fb%2Cc%3Dd,7""#))
    #expect(try database.answer("/stamps/a%2Fb%2Cc%3Dd,7").status == 200)
  }

  @Test("nothing of the data or of the URL is taken for markup")
  func escaped() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, "<b>" TEXT);
      INSERT INTO note VALUES (1, '<script>alert("1")</script>'), (2, 'a & b''s'), (3, 'nul' || char(1) || 'x');
      """)
    let page = try page("/notes?filter=id<4&annotate=x:'<img src=x>'", on: database)
    #expect(!page.contains("<script>") && !page.contains("<b>") && !page.contains("<img"))
    #expect(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"))
    #expect(page.contains("a &amp; b&#39;s"))
    #expect(page.contains("nul\u{FFFD}x"))
  }

  @Test("of records without a key there are no addresses")
  func withoutKey() throws {
    let database = try TestDatabase(
      Library.schema + "CREATE VIEW title AS SELECT title FROM book;" + Library.records)
    #expect(try page("/titles", on: database).contains("<tr><td>Beowulf</td></tr>"))
    let groups = try page("/books?group=kind&fields=kind,id:count()", on: database)
    #expect(!groups.contains("href=\"/books/"))
  }

  @Test("the index links to every resource")
  func index() throws {
    #expect(try page("/", on: Library.database()).contains(#"<a href="/bookTags">bookTags</a>"#))
  }

  @Test("a large page is sent as it is read, and is complete")
  func large() throws {
    let page = try page("/books?limit=1000", on: Library.largeDatabase())
    #expect(page.contains("Book number 1000</td>"))
  }
}
