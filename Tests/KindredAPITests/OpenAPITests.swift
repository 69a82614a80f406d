import Foundation
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("OpenAPI 3.1")
struct OpenAPITests {
  private func document(of database: TestDatabase) throws -> [String: Any] {
    let answer = try database.answer("/-/openapi.json")
    #expect(answer.headers["Content-Type"] == "application/json")
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any])
  }

  private func object(_ value: Any?, _ path: String...) throws -> [String: Any] {
    var value = value
    for key in path { value = (value as? [String: Any])?[key] }
    return try #require(value as? [String: Any], "\(path)")
  }

  @Test
  func `a record with a hidden key has no path`() throws {
    let database = try TestDatabase(
      "CREATE TABLE person (ssn TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID",
      modelFile: "resources:\n  people: { hidden: [ssn] }\n")
    let text = try database.answer("/-/openapi.json").text
    #expect(text.contains(#""/people""#) && !text.contains(#""/people/"#) && !text.contains("ssn"))
  }

  @Test
  func `the content has the columns that may be written, also those that may not be read`() throws {
    let database = try TestDatabase.writable(
      "CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, password TEXT, secret TEXT)",
      modelFile: """
        resources:
          users:
            hidden: [secret]
            access: { read: { fields: [id, name] }, create: {}, update: { fields: [password] } }
        """)
    let schemas = try object(try document(of: database), "components", "schemas")
    #expect(try object(schemas["users.record"], "properties").keys.sorted() == ["id", "name"])
    #expect(try object(schemas["users.new"], "properties").keys.sorted() == ["id", "name", "password"])
    #expect(try object(schemas["users.change"], "properties").keys.sorted() == ["password"])
    #expect(try object(schemas["users.new"], "properties", "password")["writeOnly"] as? Bool == true)
    #expect(try object(schemas["users.new"], "properties", "name")["writeOnly"] == nil)
    let schema = try database.answer("/-/schema").text
    #expect(schema.contains(#""writeOnly":[{"name":"password","#) && !schema.contains("secret"))
  }

  @Test
  func `every resource, its records, and their associations have a path`() throws {
    let document = try document(of: Library.database())
    #expect((document["openapi"] as? String)?.hasPrefix("3.1") == true)
    let paths = try object(document, "paths")
    for path in [
      "/", "/authors", "/authors/{id}", "/authors/{id}/books", "/authors/{id}/country",
      "/bookTags/{bookId},{tagId}",
      "/bookTags/{bookId},{tagId}/tag", "/-/health", "/-/ready", "/-/metrics", "/-/openapi.json", "/-/errors",
    ] {
      #expect(paths[path] != nil, "\(path)")
    }
    let parameters = try object(paths, "/bookTags/{bookId},{tagId}", "get")["parameters"] as? [[String: Any]]
    #expect(parameters?.compactMap { $0["name"] as? String } == ["bookId", "tagId"])
  }

  @Test
  func `a value that is refused when it is empty isn't empty by its schema`() throws {
    let database = try Library.database()
    let document = try document(of: database)
    let parameters = try object(document, "components", "parameters")
    for (name, parameter) in parameters where name != "others" {
      guard try object(parameter)["in"] as? String == "query" else { continue }
      let schema = try object(parameter, "schema")
      // The items of a list are parameters of their own.
      if schema["type"] as? String == "array" { #expect(try object(parameter)["explode"] as? Bool == true) }
      guard schema["type"] as? String == "string", schema["enum"] == nil else { continue }
      let isEmptyAllowed = try database.answer("/books?\(name)=").status == 200
      #expect((schema["minLength"] == nil) == isEmptyAllowed, "\(name)")
    }
  }

  @Test
  func `each page of Kindred's own has its own description`() throws {
    let paths = try object(try document(of: Library.database()), "paths")
    let descriptions = try paths.keys.filter { $0.hasPrefix("/-/") }.map { path in
      try #require(try object(paths, path, "get", "responses", "200")["description"] as? String)
    }
    #expect(Set(descriptions).count == descriptions.count)
  }

  @Test
  func `records are described by the declared types of their columns, and by their associations`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE owner (id INTEGER PRIMARY KEY);
      CREATE TABLE thing (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT, price REAL, day DATE, data BLOB, ok BOOLEAN NOT NULL,
        document JSON, ownerId INTEGER REFERENCES owner(id));
      """)
    let properties = try object(
      try document(of: database), "components", "schemas", "things.record", "properties")
    func type(_ name: String) -> [String] {
      let type = (properties[name] as? [String: Any])?["type"]
      return type as? [String] ?? (type as? String).map { [$0] } ?? []
    }
    #expect(type("id") == ["integer"])
    #expect(type("name") == ["string"])
    #expect(type("note") == ["string", "null"])
    #expect(type("price") == ["number", "null"])
    #expect(type("day") == ["number", "string", "null"])
    #expect(type("data") == ["string", "null"])
    #expect(type("ok") == ["boolean", "number"])
    #expect(type("document") == [])
    let id = try object(properties, "id")
    #expect(id["format"] as? String == "int64")
    #expect([id["minimum"], id["maximum"]].map { $0 as? Int } == [.min, .max])
    #expect(try object(properties, "day")["minimum"] == nil)
    #expect(try object(properties, "data")["contentEncoding"] as? String == "base64")
    #expect(
      try object(properties, "owner")["$ref"] as? String == "#/components/schemas/owners.record.optional")
    let optional = try object(
      try document(of: database), "components", "schemas", "owners.record.optional")
    #expect(optional["type"] as? [String] == ["object", "null"])
  }

  @Test(arguments: [false, true])
  func `every reference leads somewhere, every operation has its name, every path parameter is described`(
    isWritable: Bool
  ) throws {
    var options = KindredService.Options()
    options.isWritable = isWritable
    let database = try TestDatabase(
      Library.schema + """
        CREATE TABLE "odd {name}/x" ("a{b}" TEXT, "c d" TEXT, PRIMARY KEY ("a{b}", "c d"));
        CREATE TABLE "index" (id INTEGER PRIMARY KEY);
        CREATE TABLE health (id INTEGER PRIMARY KEY);
        CREATE TABLE "日本" (id INTEGER PRIMARY KEY);
        CREATE TABLE "a.b" (id INTEGER PRIMARY KEY);
        CREATE VIEW title AS SELECT title FROM book;
        """, options: options)
    let document = try document(of: database)
    var names: Set<String> = []
    func walk(_ value: Any) throws {
      if let array = value as? [Any] { for element in array { try walk(element) } }
      guard let members = value as? [String: Any] else { return }
      if let reference = members["$ref"] as? String {
        var target: Any? = document
        for key in reference.split(separator: "/").dropFirst() {
          target = (target as? [String: Any])?[String(key)]
        }
        #expect(target != nil, "\(reference)")
        #expect(reference.wholeMatch(of: /#\/components\/\w+\/[a-zA-Z0-9._-]+/) != nil, "\(reference)")
      }
      if let name = members["operationId"] as? String { #expect(names.insert(name).inserted, "\(name)") }
      for member in members.values { try walk(member) }
    }
    try walk(document)
    for (path, item) in try object(document, "paths") {
      for (method, operation) in try object(item) {
        if let root = path.split(separator: "/").first, root != "-" {
          #expect(try object(operation)["tags"] as? [String] == [String(root).removingPercentEncoding ?? ""])
        }
        let parameters = try object(operation)["parameters"] as? [[String: Any]] ?? []
        let described = parameters.filter { $0["in"] as? String == "path" }
        #expect(
          path.matches(of: /\{([^{}]+)\}/).map { String($0.1) }
            == described.compactMap { $0["name"] as? String },
          "\(method) \(path)")
      }
    }
  }

  @Test
  func `every parameter of requests is described, and none refuses what the grammar takes`() throws {
    let document = try document(of: Library.database())
    let described = try object(document, "components", "parameters")
    for parameter in RequestParameter.ofRoot {
      let schema = try object(described, parameter.name, "schema")
      #expect(
        schema["pattern"] == nil && (schema["items"] as? [String: Any])?["enum"] == nil, "\(parameter.name)")
    }
    func names(_ path: String) throws -> Set<String> {
      let parameters = try object(document, "paths", path, "get")["parameters"] as? [[String: Any]] ?? []
      return Set(
        parameters.compactMap {
          ($0["$ref"] as? String)?.split { "/.".contains($0) }.last.map(String.init)
        })
    }
    let all = Set(RequestParameter.ofRoot.map(\.name))
    #expect(try names("/books") == all.union(["others", "If-None-Match"]))
    #expect(try names("/authors") == all.subtracting(["search"]).union(["others", "If-None-Match"]))
    #expect(
      try names("/authors/{id}") == [
        "include", "join", "fields", "annotate", "format", "others", "If-None-Match",
      ])
    let operation = try object(document, "paths", "/authors/{id}/books", "get")
    #expect(operation["tags"] as? [String] == ["authors"])
  }

  @Test
  func `a choice with true and false takes a boolean, as the types of clients do`() throws {
    let document = try document(of: Library.database())
    let count = try object(document, "components", "parameters", "count", "schema")
    let choices = try #require(count["anyOf"] as? [[String: Any]])
    #expect(choices.map { $0["type"] as? String } == ["boolean", "string"])
    #expect(choices.last?["enum"] as? [String] == ["estimated"])
  }

  @Test
  func `the limits of the server are in it`() throws {
    var options = KindredService.Options()
    options.limits.pageSize = 7
    options.limits.maximumPageSize = nil
    let database = try TestDatabase(Library.schema, options: options)
    let limit = try object(try document(of: database), "components", "parameters", "limit", "schema")
    #expect(limit["default"] as? Int == 7)
    #expect(limit["maximum"] == nil)
  }

  @Test
  func `the document is made once for each version of the schema, and has a tag`() throws {
    let database = try Library.database()
    let tag = try #require(try database.answer("/-/openapi.json").headers["ETag"])
    #expect(try database.answer("/-/openapi.json").headers["ETag"] == tag)
    #expect(try database.answer("/-/openapi.json", headers: ["If-None-Match": tag]).status == 304)
    try database.pool.withWriter { try $0.execute("ALTER TABLE book ADD COLUMN subtitle TEXT") }
    let later = try database.answer("/-/openapi.json", headers: ["If-None-Match": tag])
    #expect(later.status == 200)
    #expect(later.text.contains("subtitle"))
  }

  @Test(arguments: [
    ("/authors", "/authors"), ("/authors/{id}", "/authors/1"), ("/authors/{id}/books", "/authors/1/books"),
    ("/authors/{id}/books/{books-id}", "/authors/1/books/1"), ("/books/{id}/author", "/books/1/author"),
    ("/books/{id}/tags", "/books/1/tags"), ("/books/{id}/tags/{tags-id}", "/books/1/tags/1"),
    ("/bookTags/{bookId},{tagId}", "/bookTags/1,1"), ("/countries/{code}", "/countries/FR"),
  ])
  func `what a path can be written by is described as Allow tells it`(path: String, target: String) throws {
    for database in [try Library.writable(), try Library.database()] {
      let allowed =
        try database.answer(target, method: .options).headers["Allow"]?.split(separator: ", ") ?? []
      let described = try object(try document(of: database), "paths")[path] as? [String: Any]
      // OpenAPI 3.1 can't describe QUERY. Paths that aren't described must not be writable.
      guard let described else {
        #expect(allowed == ["GET", "HEAD", "QUERY", "OPTIONS"])
        continue
      }
      #expect(
        Set(described.keys.map { $0.uppercased() })
          == Set(allowed.map(String.init)).subtracting(["HEAD", "QUERY", "OPTIONS"]))
    }
  }

  @Test
  func `conditions, preferences and keys of requests are described where they have an effect`() throws {
    let paths = try object(try document(of: Library.writable()), "paths")
    func fields(_ path: String, _ method: String) throws -> Set<String> {
      let parameters = try object(paths, path, method)["parameters"] as? [[String: Any]] ?? []
      let all = Set(
        parameters.compactMap { ($0["$ref"] as? String)?.split(separator: "/").last.map(String.init) })
      return all.intersection(["If-Match", "If-None-Match", "Prefer", "Idempotency-Key"])
    }
    #expect(try fields("/books", "get") == ["If-None-Match"])
    #expect(try fields("/books", "post") == ["Prefer", "Idempotency-Key"])
    #expect(try fields("/books", "patch") == ["Prefer", "Idempotency-Key"])
    #expect(try fields("/books/{id}", "patch") == ["Prefer", "If-Match", "Idempotency-Key"])
    #expect(try fields("/books/{id}", "put") == ["Prefer", "If-Match", "If-None-Match"])
    #expect(try fields("/books/{id}", "delete") == ["Prefer", "If-Match"])
    #expect(try fields("/-/batch", "post") == ["Prefer", "Idempotency-Key"])
  }

  @Test
  func `a client may have a token, and may be refused for it or for asking too often`() throws {
    let document = try document(of: Library.writable())
    #expect(try object(document, "components", "securitySchemes", "bearer")["scheme"] as? String == "bearer")
    #expect((document["security"] as? [[String: Any]])?.map { Array($0.keys) } == [[], ["bearer"]])
    for (path, item) in try object(document, "paths") where !path.hasPrefix("/-/") && path != "/" {
      for (method, operation) in try object(item) {
        let statuses = Set(try object(operation, "responses").keys)
        #expect(statuses.isSuperset(of: ["401", "403", "429"]), "\(method) \(path)")
      }
    }
  }

  @Test
  func `the value of a column has a path, where records have one`() throws {
    let database = try TestDatabase(
      "CREATE TABLE thing (id INTEGER PRIMARY KEY, x BLOB); CREATE VIEW v AS SELECT 1 AS n")
    let document = try document(of: database)
    let paths = try object(document, "paths")
    #expect(paths["/things/{id}/{column}"] != nil && paths.keys.filter { $0.hasPrefix("/vs") } == ["/vs"])
    let content = try object(document, "components", "responses", "ColumnValue", "content")
    #expect(Set(content.keys).isSuperset(of: ["application/json", "application/octet-stream", "image/png"]))
  }

  @Test
  func `content is described without computed columns and keys of the path`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author(id), title TEXT NOT NULL,
        kind TEXT NOT NULL DEFAULT 'novel', year INTEGER, label TEXT AS (title || year));
      """)
    let document = try document(of: database)
    func columns(_ path: String, _ method: String) throws -> (all: Set<String>, needed: [String]) {
      let body = try object(
        document, "paths", path, method, "requestBody", "content", "application/json", "schema")
      let reference = try #require(((body["anyOf"] as? [[String: Any]])?.first ?? body)["$ref"] as? String)
      let name = try #require(reference.split(separator: "/").last)
      let schema = try object(document, "components", "schemas", String(name))
      #expect(schema["additionalProperties"] as? Bool == false)
      return (Set(try object(schema, "properties").keys), schema["required"] as? [String] ?? [])
    }
    let all: Set = ["id", "authorId", "author", "title", "kind", "year"]
    #expect(try columns("/books", "post") == (all, ["title"]))
    #expect(try columns("/books/{id}", "patch") == (all, []))
    #expect(try columns("/books/{id}", "put") == (all.subtracting(["id"]), ["title"]))
    let below = all.subtracting(["authorId", "author"])
    #expect(try columns("/authors/{id}/books", "post") == (below, ["title"]))
    let left = below.subtracting(["id"])
    #expect(try columns("/authors/{id}/books/{books-id}", "put") == (left, ["title"]))
  }

  @Test
  func `a written record may hold others, by references that lead to each form once`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author(id), title TEXT NOT NULL);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE bookTag (bookId REFERENCES book(id), tagId REFERENCES tag(id), PRIMARY KEY (bookId, tagId));
      """)
    let schemas = try object(try document(of: database), "components", "schemas")
    let book = try object(schemas, "books.new", "properties")
    #expect(try object(book, "author")["$ref"] as? String == "#/components/schemas/authors.nested.optional")
    #expect(try object(book, "tags", "items")["$ref"] as? String == "#/components/schemas/tags.nested")
    let author = try object(schemas, "authors.new", "properties")
    #expect(try object(author, "books", "items")["$ref"] as? String == "#/components/schemas/books.new")
    #expect(try object(schemas, "authors.nested.optional")["type"] as? [String] == ["object", "null"])
    // A record that holds nothing but its key refers to the one that is there.
    #expect(try object(schemas, "tags.nested")["required"] == nil)
  }

  @Test
  func `each item of a list is a parameter of its own`() throws {
    let parameters = try object(try document(of: Library.database()), "components", "parameters")
    for name in ["include", "join", "annotate", "fields", "filter", "having", "sort", "group"] {
      let parameter = try object(parameters, name)
      #expect(parameter["explode"] as? Bool == true && parameter["style"] as? String == "form", "\(name)")
      #expect(try object(parameter, "schema")["type"] as? String == "array", "\(name)")
    }
  }
}
