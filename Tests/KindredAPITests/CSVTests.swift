import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("CSV (RFC 4180)")
struct CSVTests {
  private func csv(_ target: String, on database: TestDatabase) throws -> String {
    let answer = try database.answer(target, headers: ["Accept": "text/csv"])
    #expect(answer.status == 200)
    #expect(answer.headers["Content-Type"] == "text/csv; charset=utf-8; header=present")
    return answer.text
  }

  @Test
  func `a line of names, then one a record; each ends with CRLF, NULL is the empty field`() throws {
    #expect(
      try csv("/books?limit=3&sort=-id", on: Library.database())
        == "id,authorId,title,kind,year,price\r\n6,2,Truth,novel,1903,5.0\r\n5,,Beowulf,poem,,7.75\r\n"
        + "4,2,Germinal,novel,1885,9.0\r\n")
  }

  @Test
  func `values of to-one associations are columns of their own, empty where there is no record`() throws {
    #expect(
      try csv(
        "/books?fields=id&filter=id>3&limit=2&include=author.country&author.fields=name&author.country.fields=name",
        on: Library.database())
        == "id,author.name,author.country.name\r\n4,Zola,France\r\n5,,\r\n")
    #expect(
      try csv("/books?fields=&include=author&author.fields=id,name&filter=id>4", on: Library.database())
        == "author.id,author.name\r\n,\r\n2,Zola\r\n")
    #expect(
      try csv("/books?fields=id&include=author&author.values=name&filter=id>4", on: Library.database())
        == "id,author\r\n5,\r\n6,Zola\r\n")
  }

  @Test
  func `a to-one association that was joined lends its columns to the record`() throws {
    #expect(
      try csv("/books/1?fields=title&annotate=authorName:author.name", on: Library.database())
        == "title,authorName\r\nMoby-Dick,Melville\r\n")
  }

  @Test
  func `quotes around what has quotes, commas or line breaks; names too`() throws {
    let database = try TestDatabase(
      #"""
      CREATE TABLE note (id INTEGER PRIMARY KEY, "a,b" TEXT, "say ""hi""" TEXT);
      INSERT INTO note VALUES (1, 'x,y', 'he said "no"'), (2, 'two' || char(13, 10) || 'lines', ' spaces '), (3, '', 'é');
      """#)
    #expect(
      try csv("/notes", on: database)
        == "id,\"a,b\",\"say \"\"hi\"\"\"\r\n1,\"x,y\",\"he said \"\"no\"\"\"\r\n2,\"two\r\nlines\", spaces \r\n3,\"\",é\r\n"
    )
  }

  @Test
  func `empty text and NULL differ, and an import reads them as they were`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, data BLOB);
      INSERT INTO note VALUES (1, '', x''), (2, NULL, NULL);
      """)
    let exported = try csv("/notes", on: database)
    #expect(exported == "id,text,data\r\n1,\"\",\"\"\r\n2,,\r\n")
    #expect(try database.send(.delete, "/notes?filter=true").status == 204)
    let imported = try database.send(.post, "/notes", exported, headers: ["Content-Type": "text/csv"])
    #expect(imported.status == 201)
    #expect(try database.stored("SELECT id, text IS NULL, typeof(data) FROM note") == "1|0|blob; 2|1|null")
  }

  @Test
  func `booleans, blobs in base64, JSON as its text, and bytes that are not UTF-8`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE thing (id INTEGER PRIMARY KEY, ok BOOLEAN, data BLOB, document JSON, real REAL, text TEXT);
      INSERT INTO thing VALUES (1, 1, x'00ff10', '{"a": [1, 2]}', 1e300, CAST(x'61ff62' AS TEXT));
      INSERT INTO thing VALUES (2, 0, x'', '"x"', 9e999, NULL), (3, 7, NULL, 'no JSON', -0.5, '');
      """)
    #expect(
      try csv("/things", on: database)
        == "id,ok,data,document,real,text\r\n1,true,AP8Q,\"{\"\"a\"\": [1, 2]}\",1e+300,a\u{FFFD}b\r\n"
        + "2,false,\"\",\"\"\"x\"\"\",9e999,\r\n3,7,,no JSON,-0.5,\"\"\r\n")
  }

  @Test
  func `an import adds what was written: NULL, empty text and empty BLOB, also in one column`() throws {
    let schema = """
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, data BLOB);
      CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
      """
    let database = try TestDatabase(
      schema
        + """
        INSERT INTO note VALUES (1, '', NULL), (2, NULL, x''), (3, '""', x'00'), (4, NULL, NULL);
        INSERT INTO word VALUES (1, NULL), (2, ''), (3, 'a'), (4, NULL);
        """)
    var options = KindredService.Options()
    options.isWritable = true
    let copy = try TestDatabase(schema, options: options)
    for (table, fields, columns, content) in [
      (
        "note", "*", "id, quote(text), quote(data)",
        "id,text,data\r\n1,\"\",\r\n2,,\"\"\r\n3,\"\"\"\"\"\",AA==\r\n4,,\r\n"
      ),
      ("word", "text", "id, quote(text)", "text\r\n\r\n\"\"\r\na\r\n\r\n"),
    ] {
      #expect(try csv("/\(table)s?fields=\(fields)", on: database) == content)
      let answer = try copy.send(.post, "/\(table)s", content, headers: ["Content-Type": "text/csv"])
      #expect(answer.status == 201, "\(answer.text)")
      let stored = "SELECT \(columns) FROM \(table) ORDER BY id"
      #expect(try copy.stored(stored) == database.stored(stored))
    }
  }

  @Test
  func `an empty collection has its line of names`() throws {
    #expect(try csv("/tags?filter=id>99", on: Library.database()) == "id,name\r\n")
  }

  @Test
  func `a page has links, as in JSON`() throws {
    let answer = try Library.database().answer("/books?limit=2", headers: ["Accept": "text/csv"])
    #expect(answer.headers["Link"]?.contains("rel=\"next\"") == true)
  }

  @Test(arguments: [
    "/authors?include=books", "/books?include=author.country,reviews", "/books?include=author.books",
    "/employees?include=manager*",
  ])
  func `what is no single value is not acceptable, whether included or repeated`(target: String) throws {
    let answer = try Library.database().answer(target, headers: ["Accept": "text/csv"])
    #expect(answer.status == 406)
    #expect(answer.headers["Content-Type"] == "application/problem+json")
  }

  @Test
  func `a large table is sent as it is read, and is complete`() throws {
    let text = try csv("/books?limit=1000&fields=id,title,kind,year,price", on: Library.largeDatabase())
    #expect(text.split(separator: "\r\n").count == 1001)
    #expect(text.hasSuffix("1000,Book number 1000,novel,,\r\n"))
  }
}
