import Foundation
import KindredHTTP
import Testing

@testable import KindredAPI

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

  @Test("every resource, its records, and their associations have a path")
  func paths() throws {
    let document = try document(of: Library.database())
    #expect((document["openapi"] as? String)?.hasPrefix("3.1") == true)
    let paths = try object(document, "paths")
    for path in [
      "/", "/authors", "/authors/{id}", "/authors/{id}/books", "/authors/{id}/country",
      "/bookTags/{bookId},{tagId}",
      "/bookTags/{bookId},{tagId}/tag", "/-/health", "/-/metrics", "/-/openapi.json", "/-/errors",
    ] {
      #expect(paths[path] != nil, "\(path)")
    }
    let parameters = try object(paths, "/bookTags/{bookId},{tagId}", "get")["parameters"] as? [[String: Any]]
    #expect(parameters?.compactMap { $0["name"] as? String } == ["bookId", "tagId"])
  }

  @Test("records are described by the declared types of their columns, and by their associations")
  func schemas() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE owner (id INTEGER PRIMARY KEY);
      CREATE TABLE thing (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT, price REAL, day DATE, data BLOB, ok BOOLEAN NOT NULL,
        document JSON, ownerId INTEGER REFERENCES owner(id));
      """)
    let properties = try object(
      try document(of: database), "components", "schemas", "record.things", "properties")
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
    #expect(try object(properties, "data")["contentEncoding"] as? String == "base64")
    #expect(
      (try object(properties, "owner")["anyOf"] as? [[String: Any]])?.first?["$ref"] as? String
        == "#/components/schemas/record.owners")
  }

  @Test("every reference leads somewhere, every operation has its name, every path parameter is described")
  func references() throws {
    let database = try TestDatabase(
      Library.schema + """
        CREATE TABLE "odd {name}/x" ("a{b}" TEXT, "c d" TEXT, PRIMARY KEY ("a{b}", "c d"));
        CREATE TABLE "index" (id INTEGER PRIMARY KEY);
        CREATE TABLE health (id INTEGER PRIMARY KEY);
        CREATE TABLE "日本" (id INTEGER PRIMARY KEY);
        CREATE VIEW title AS SELECT title FROM book;
        """)
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
      let parameters = try object(item, "get")["parameters"] as? [[String: Any]] ?? []
      let described = parameters.filter { $0["in"] as? String == "path" }.compactMap { $0["name"] as? String }
      #expect(path.matches(of: /\{([^{}]+)\}/).map { String($0.1) } == described, "\(path)")
    }
  }

  @Test("the limits of the server are in it")
  func limits() throws {
    var options = KindredService.Options()
    options.limits.pageSize = 7
    options.limits.maximumPageSize = nil
    let database = try TestDatabase(Library.schema, options: options)
    let limit = try object(try document(of: database), "components", "parameters", "limit", "schema")
    #expect(limit["default"] as? Int == 7)
    #expect(limit["maximum"] == nil)
  }
}
