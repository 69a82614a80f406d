import Foundation
import Testing

@testable import KindredAPI

/// What the OpenAPI document says of the associations of each resource, and where it has no room for them.
@Suite("OpenAPI documents of many resources")
struct OpenAPIPartsTests {
  private func object(_ document: String, _ path: String...) throws -> [String: Any] {
    var value: Any? = try JSONSerialization.jsonObject(with: Data(document.utf8))
    for key in path { value = (value as? [String: Any])?[key] }
    return try #require(value as? [String: Any], "\(path)")
  }

  @Test(arguments: [
    ("books", true), ("country!", true), ("novels:books,novels.reviews", true), ("novels.reviews", true),
    ("mentor*3", true), (" books , country", true), ("boks", false), ("books,boks", false),
    ("novels:boks", false),
  ])
  func `an item of include that is one name is the key of an association`(item: String, isValid: Bool) throws
  {
    let database = try TestDatabase(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY);
      CREATE TABLE author (
        id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country(code), mentorId INTEGER REFERENCES author(id));
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id));
      """)
    let include = try object(
      database.get("/-/openapi.json").text, "components", "parameters", "authors.include", "schema", "items")
    let pattern = try Regex(try #require(include["pattern"] as? String))
    #expect((item.wholeMatch(of: pattern) != nil) == isValid)
  }

  @Test
  func `the document of many resources leaves out paths of associations, which those of some have`() throws {
    let tables = (0..<120).map { number in
      """
      CREATE TABLE thing\(number) (
        id INTEGER PRIMARY KEY, upId INTEGER REFERENCES thing\(max(0, number - 1))(id), name TEXT);
      """
    }
    let database = try TestDatabase(tables.joined(), options: .writable)
    let whole = try database.get("/-/openapi.json")
    #expect(whole.text.utf8.count < 4 << 20)
    let paths = try object(whole.text, "paths")
    #expect(paths["/things7"] != nil && paths["/things7/{id}"] != nil && paths["/things7/{id}/up"] == nil)
    #expect(whole.text.contains("/-/openapi.json?resource="))

    let part = try database.get("/-/openapi.json?resource=things7,things9")
    let keys = Set(try object(part.text, "paths").keys).subtracting(["/"])
    #expect(keys.allSatisfy { $0.hasPrefix("/things7") || $0.hasPrefix("/things9") } && keys.count > 8)
    #expect(keys.contains("/things7/{id}/up"))
    // What it refers to is in it.
    let components = try object(part.text, "components")
    for reference in part.text.matches(of: /"\$ref":"#\/components\/(\w+)\/([^"]+)"/) {
      let (kind, name) = (String(reference.1), String(reference.2))
      #expect((components[kind] as? [String: Any])?[name] != nil, "\(kind) \(name)")
    }
    let repeated = try database.get("/-/openapi.json?resource=things7&resource=things9")
    #expect(repeated.text == part.text)
    for target in ["thing7", "", "things7,thing8"] {
      #expect(try database.answer("/-/openapi.json?resource=\(target)").status == 400, "\(target)")
    }
    #expect(try database.answer("/-/openapi.json?resource=thing7").text.contains("`things7`"))
  }
}
