import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Keys that are BLOBs")
struct BlobKeyTests {
  private func database() throws -> TestDatabase {
    try TestDatabase(
      """
      CREATE TABLE device (id BLOB PRIMARY KEY, name TEXT);
      CREATE TABLE tag (key TEXT PRIMARY KEY, name TEXT);
      CREATE TABLE bare (key PRIMARY KEY, name TEXT);
      INSERT INTO device VALUES (x'FBFFFE', 'bytes'), ('-__-', 'text'), (x'', 'empty'), (x'C20A', 'short');
      INSERT INTO tag VALUES (x'C20A', 'bytes'), ('wgo', 'text'), (x'', 'empty'), ('..', 'dots');
      INSERT INTO bare VALUES (5, 'number'), ('5', 'digits'), ('abc', 'text'), (x'69B7', 'bytes');
      """, options: .writable)
  }

  @Test(arguments: [
    ("/devices/-__-", "bytes"), ("/devices/%2B%2F%2F%2B", "bytes"), ("/devices/wgo", "short"),
    ("/devices/wgo%3D", "short"), ("/devices/id=", "empty"), ("/tags/wgo", "text"), ("/bares/5", "number"),
    ("/bares/abc", "text"),
  ])
  func `a key is read as base64, base64url, and as it is, always in the same order`(
    target: String, name: String
  )
    throws
  {
    #expect(try database().get("\(target)?fields=name").text == #"{"name":"\#(name)"}"#)
  }

  @Test(arguments: [
    ("/devices", ["/devices/-__-", "/devices/id=", "/devices/wgo"]),
    ("/tags", ["/tags/key=..", "/tags/wgo"]),
    ("/bares", ["/bares/5", "/bares/abc"]),
  ])
  func `the explorer links a record only where the link leads back`(target: String, links: [String]) throws {
    let page = try database().get(target, headers: ["Accept": "text/html"]).text
    let found = page.matches(of: /<tr data-href="([^"]*)"/).map { String($0.output.1) }
    #expect(found.sorted() == links.sorted(), "\(found)")
  }

  @Test
  func `a location leads back, or isn't there`() throws {
    let database = try database()
    let made = try database.answer(.post, "/devices", #"{"id":"+/8=","name":"new"}"#)
    #expect(made.headers["Location"] == "/devices/-_8")
    let text = try database.answer(.post, "/bares", #"{"key":"7","name":"new"}"#)
    #expect(text.status == 201 && text.headers["Location"] == nil)
  }
}
