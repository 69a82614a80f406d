import Foundation
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("The Model Context Protocol")
struct MCPTests {
  private static let newest = "2026-07-28"
  private static let earlier = "2025-11-25"
  private static let revisions = [newest, earlier, "2025-06-18", "2025-03-26", "2024-11-05"]
  private static let version = "io.modelcontextprotocol/protocolVersion"

  /// Returns the answer to a message of a revision, with the header fields that belong to it.
  private func send(
    _ method: String, _ parameters: [String: Any] = [:], to database: TestDatabase, revision: String = newest,
    headers: HTTPHeaders = [:], id: Any? = 7
  ) throws -> (answer: Answer, json: [String: Any]) {
    var parameters = parameters
    var all: HTTPHeaders = ["MCP-Protocol-Version": revision]
    if revision == Self.newest || !Self.revisions.contains(revision) {
      all.append("Mcp-Method", method)
      if let name = (parameters["name"] ?? parameters["uri"]) as? String { all.append("Mcp-Name", name) }
      parameters["_meta"] = [Self.version: revision, "io.modelcontextprotocol/clientCapabilities": [:]]
    }
    for (name, value) in headers { all.set(name, value) }
    var message: [String: Any] = ["jsonrpc": "2.0", "method": method, "params": parameters]
    message["id"] = id
    let text = String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
    let answer = try database.send(.post, "/-/mcp", text, headers: all)
    let json = try? JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any]
    return (answer, json ?? [:])
  }

  /// A result of a tool.
  private struct ToolResult {
    let text: String
    let value: [String: Any]
    let isError: Bool
  }

  private func call(
    _ tool: String, _ arguments: [String: Any], in database: TestDatabase, revision: String = newest
  ) throws -> ToolResult {
    let parameters: [String: Any] = ["name": tool, "arguments": arguments]
    let json = try send("tools/call", parameters, to: database, revision: revision).json
    let result = try #require(json["result"] as? [String: Any], "\(json)")
    let content = try #require((result["content"] as? [[String: Any]])?.first)
    return ToolResult(
      text: try #require(content["text"] as? String),
      value: result["structuredContent"] as? [String: Any] ?? [:],
      isError: try #require(result["isError"] as? Bool))
  }

  private func code(_ json: [String: Any]) -> Int? { (json["error"] as? [String: Any])?["code"] as? Int }

  // MARK: Revisions

  @Test
  func `the newest revision needs no handshake, and the one before makes no session`() throws {
    let database = try Library.database()
    let (_, discovered) = try send("server/discover", to: database)
    let discovery = try #require(discovered["result"] as? [String: Any])
    #expect(discovery["supportedVersions"] as? [String] == Self.revisions)
    #expect(discovery["resultType"] as? String == "complete")
    let hello: [String: Any] = ["protocolVersion": Self.earlier, "capabilities": [:]]
    let (answer, greeted) = try send("initialize", hello, to: database, revision: Self.earlier)
    #expect((greeted["result"] as? [String: Any])?["resultType"] == nil)
    #expect(answer.headers["Mcp-Session-Id"] == nil)
  }

  @Test
  func `a handshake agrees on the revision of the client, or on the latest one`() throws {
    let database = try Library.database()
    for revision in Self.revisions.dropFirst() + ["2023-01-01", Self.newest, "x"] {
      let hello: [String: Any] = ["protocolVersion": revision, "capabilities": [:]]
      let greeted = try send("initialize", hello, to: database, revision: Self.earlier).json
      let agreed = Self.revisions.dropFirst().contains(revision) ? revision : Self.earlier
      #expect((greeted["result"] as? [String: Any])?["protocolVersion"] as? String == agreed)
      guard agreed == revision else { continue }
      #expect(try call("fetch", ["url": "/books/1"], in: database, revision: revision).isError == false)
    }
  }

  @Test
  func `header fields that contradict the message are refused`() throws {
    let database = try Library.database()
    for (name, value) in [
      ("MCP-Protocol-Version", Self.earlier), ("Mcp-Method", "tools/call"), ("Mcp-Name", "write"),
    ] {
      let parameters: [String: Any] = name == "Mcp-Name" ? ["name": "schema", "arguments": [:]] : [:]
      let method = name == "Mcp-Name" ? "tools/call" : "tools/list"
      let (answer, json) = try send(method, parameters, to: database, headers: [name: value])
      #expect(answer.status == 400)
      #expect(code(json) == -32020, "\(name)")
    }
  }

  @Test
  func `an unknown revision is answered with the known ones, and an unknown method is an error`() throws {
    let database = try Library.database()
    let (answer, json) = try send("tools/list", to: database, revision: "2030-01-01")
    #expect(answer.status == 400)
    #expect(code(json) == -32022)
    let data = (json["error"] as? [String: Any])?["data"] as? [String: Any]
    #expect(data?["supported"] as? [String] == Self.revisions)
    let newest = try send("nothing", to: database)
    #expect(newest.answer.status == 404 && code(newest.json) == -32601)
    let earlier = try send("nothing", to: database, revision: Self.earlier)
    #expect(earlier.answer.status == 200 && code(earlier.json) == -32601)
  }

  @Test
  func `a notification has no answer, and what is no message is an error without an ID`() throws {
    let database = try Library.database()
    let (answer, _) = try send("notifications/cancelled", to: database, id: nil)
    #expect(answer.status == 202 && answer.bytes.isEmpty)
    for (text, expected) in [
      ("{", -32700), ("[]", -32600), ("{}", -32600), (#"{"jsonrpc":"2.0","method":"x","id":[]}"#, -32600),
    ] {
      let answer = try database.send(.post, "/-/mcp", text)
      let json = try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any] ?? [:]
      #expect(answer.status == 400)
      #expect(code(json) == expected && json["id"] is NSNull, "\(text)")
    }
  }

  @Test
  func `other sites, other methods and other media types are refused`() throws {
    let database = try Library.database()
    let (foreign, _) = try send("tools/list", to: database, headers: ["Origin": "https://attack.example"])
    #expect(foreign.status == 403)
    let read = try database.answer("/-/mcp")
    #expect(read.status == 405 && read.headers["Allow"] == "POST, OPTIONS")
    #expect(try database.send(.post, "/-/mcp", "{}", headers: ["Content-Type": "text/plain"]).status == 415)
  }

  // MARK: Tools

  @Test(arguments: ["2026-07-28", "2025-11-25"])
  func `fetch gives what its URL gives`(revision: String) throws {
    let database = try Library.database()
    for url in [
      "/authors?include=books&books.sort=-year&limit=2", "/books/1", "/books?filter=title like 'M%25'",
    ] {
      let result = try call("fetch", ["url": url], in: database, revision: revision)
      #expect(result.text == (try database.answer(url).text))
      #expect(!result.isError)
      let value = result.value["records"] ?? result.value["record"]
      let written = try JSONSerialization.jsonObject(with: Data(result.text.utf8))
      #expect(value as? NSObject == written as? NSObject)
    }
  }

  @Test
  func `pages follow one another by next`() throws {
    let database = try Library.database()
    var url: String? = "/books?limit=2&fields=id"
    var pages: [String] = []
    while let next = url {
      let page = try call("fetch", ["url": next], in: database)
      pages.append(page.text)
      url = page.value["next"] as? String
    }
    let all = try database.answer("/books?fields=id").text
    #expect(pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") == all.dropFirst().dropLast())
    #expect(pages.count > 1)
  }

  @Test
  func `an answer that is too long is an error with advice`() throws {
    let database = try Library.longDatabase()
    let (answer, json) = try send(
      "tools/call",
      ["name": "fetch", "arguments": ["url": "/books?limit=1000&annotate=a:title,b:title,c:title,d:title"]],
      to: database)
    #expect(answer.bytes.count <= 256 << 10)
    let result = try #require(json["result"] as? [String: Any])
    #expect(result["isError"] as? Bool == true)
    #expect(answer.text.contains("`fields`") && answer.text.contains("`limit`"))
  }

  @Test
  func `an error of a tool is a result that says how to fix the call`() throws {
    let database = try Library.database()
    for (tool, arguments, words) in [
      ("fetch", ["url": "/authors?inclued=books"], ["inclued", "include"]),
      ("fetch", ["url": "authors"], ["path"]), ("fetch", ["url": "/-/metrics"], ["records"]),
      ("fetch", ["uri": "/authors"], ["url"]), ("fetch", [:], ["url"]),
      ("fetch", ["url": "/authors?format=csv"], ["JSON"]),
      ("complete", ["url": "/a"], ["position"]), ("schema", ["resources": ["author"]], ["authors"]),
      ("write", ["method": "GET", "url": "/authors"], ["POST, PUT, PATCH, DELETE"]),
      ("write", ["method": "POST", "url": "/authors"], ["not allowed"]),
      ("fetch", ["path": "/authors", "url": "/authors"], ["path", "url"]),
      ("fetch", ["path": "/authors?limit=1"], ["parameters"]),
      ("fetch", ["url": "/authors", "parameters": ["limit": 1]], ["parameters"]),
      ("fetch", ["path": "/authors", "parameters": ["limit": ["n": 1]]], ["limit"]),
      ("fetch", ["path": "/authors", "parameters": ["lmit": 1]], ["limit"]),
    ] as [(String, [String: Any], [String])] {
      let result = try call(tool, arguments, in: database)
      #expect(result.isError, "\(tool) \(arguments)")
      for word in words { #expect(result.text.contains(word), "\(result.text)") }
    }
  }

  @Test
  func `the tools that read are those of the server's own pages`() throws {
    let database = try Library.database()
    #expect(
      try call("complete", ["url": "/authors?inc", "position": 12], in: database).text
        == database.answer("/-/complete?url=/authors?inc&position=12").text)
    #expect(
      try call("describe", ["url": "/authors?nmae=1"], in: database).text
        == database.answer("/-/describe?url=/authors?nmae=1").text)
    #expect(
      try call("explain", ["url": "/authors?include=books"], in: database).text
        == database.answer("/authors?include=books&explain=true").text)
  }

  @Test
  func `parameters are as they are, without any encoding`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO thing VALUES (1, '100%20&+#'), (2, 'O''Brien + sons'), (3, 'é');
      """)
    for (parameters, expected) in [
      (["filter": "name like '%20&+#'"], "[1]"), (["name": "O'Brien + sons"], "[2]"),
      (["name": ["é", "100%20&+#"], "sort": "-id"], "[3,1]"), (["limit": 1, "distinct": true], "[1]"),
    ] as [([String: Any], String)] {
      let all = parameters.merging(["fields": "id"]) { $1 }
      let result = try call("fetch", ["path": "/things", "parameters": all], in: database)
      let ids = (result.value["records"] as? [[String: Any]])?.compactMap { $0["id"] as? Int } ?? []
      #expect("\(ids)".replacing(" ", with: "") == expected, "\(result.text)")
    }
  }

  @Test
  func `a second text says how many records follow, and how to get them`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE thing (id INTEGER PRIMARY KEY);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 250) INSERT INTO thing SELECT i FROM n;
      """)
    func texts(_ arguments: [String: Any]) throws -> (texts: [String], value: [String: Any]) {
      let json = try send("tools/call", ["name": "fetch", "arguments": arguments], to: database).json
      let result = try #require(json["result"] as? [String: Any])
      let content = try #require(result["content"] as? [[String: Any]])
      return (
        content.compactMap { $0["text"] as? String }, result["structuredContent"] as? [String: Any] ?? [:]
      )
    }
    var (page, value) = try texts(["path": "/things"])
    #expect(page.count == 2 && page[1].hasPrefix("150 more records follow, of 250 in all."))
    #expect(value["total"] == nil)
    let next = try #require(value["next"] as? String)
    #expect(page[1].hasSuffix(next))
    (page, value) = try texts(["url": next])
    #expect(page[1].hasPrefix("50 more records follow"))
    (page, value) = try texts(["url": try #require(value["next"] as? String)])
    #expect(page.count == 1 && value["next"] == nil)
    (page, value) = try texts(["path": "/things", "parameters": ["limit": 2, "count": "true"]])
    #expect(page[1].hasPrefix("248 more") && value["total"] as? Int == 250)
    (page, value) = try texts(["path": "/things", "parameters": ["filter": "id < 3", "count": true]])
    #expect(page.count == 2 && page[1] == "2 records in all." && value["total"] as? Int == 2)
    #expect(try texts(["path": "/things/1"]).texts.count == 1)
  }

  @Test
  func `the schema of any number of tables is one answer, with the details of those that are named`() throws {
    let tables = (0..<700).map { table in
      let columns = (0..<40).map { "some_long_name_of_a_column_\($0) TEXT" }.joined(separator: ", ")
      return "CREATE TABLE a_long_name_of_table\(table)part (id INTEGER PRIMARY KEY, \(columns));"
    }
    let database = try TestDatabase(tables.joined())
    let all = try call("schema", [:], in: database)
    #expect(!all.isError && all.text.utf8.count < 256 << 10)
    #expect((all.value["resources"] as? [Any])?.count == 700)
    let name = try #require((all.value["resources"] as? [[String: Any]])?.last?["name"] as? String)
    let one = try call("schema", ["resources": [name]], in: database)
    #expect(one.text.contains("some_long_name_of_a_column_39") && !one.text.contains("\"default\":null"))
    let library = try call("schema", [:], in: try Library.database())
    #expect(library.text.contains(#""name":"books","key":["id"],"columns":["id""#))
  }

  @Test
  func `a text as the content of a write is its JSON`() throws {
    let database = try Library.writable()
    for body in [#"{"name": "Colette"}"#, ["name": "Colette"]] as [Any] {
      let result = try call("write", ["method": "POST", "path": "/authors", "body": body], in: database)
      #expect(!result.isError && result.value["status"] as? Int == 201, "\(result.text)")
    }
    #expect(try call("write", ["method": "POST", "path": "/authors", "body": "{"], in: database).isError)
  }

  @Test
  func `the model is a resource, and so is each part of it`() throws {
    let database = try Library.database()
    for (uri, target) in [
      ("kindred://schema", "/-/schema"), ("kindred://schema/books", "/-/schema?resource=books"),
    ] {
      let result = try send("resources/read", ["uri": uri], to: database).json["result"] as? [String: Any]
      let contents = try #require((result?["contents"] as? [[String: Any]])?.first)
      #expect(contents["uri"] as? String == uri)
      #expect(try contents["text"] as? String == database.answer(target).text)
    }
    for uri in ["kindred://schema/nothing", "kindred://other", "https://attack.example/"] {
      #expect(code(try send("resources/read", ["uri": uri], to: database).json) == -32602)
    }
  }

  // MARK: Rights

  private func tools(of database: TestDatabase) throws -> [String: Bool] {
    let json = try send("tools/list", to: database).json
    let tools = try #require((json["result"] as? [String: Any])?["tools"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: tools.compactMap { tool in
        let hints = tool["annotations"] as? [String: Any]
        return (tool["name"] as? String).map { ($0, hints?["readOnlyHint"] as? Bool ?? false) }
      })
  }

  @Test
  func `writing is offered only where there is something to write`() throws {
    let reading = ["schema": true, "complete": true, "describe": true, "fetch": true, "explain": true]
    #expect(try tools(of: Library.database()) == reading)
    #expect(try tools(of: Library.writable()) == reading.merging(["write": false]) { $1 })
    let closed = try Library.writable(modelFile: "resources:\n  authors: { access: { read: {} } }\n")
    #expect(try tools(of: closed) == reading)
  }

  @Test
  func `a write has the answer of its request, and is done`() throws {
    let database = try Library.writable()
    let body: [String: Any] = ["name": "Colette", "books": [["title": "Chéri"]]]
    let added = try call("write", ["method": "POST", "url": "/authors", "body": body], in: database)
    #expect(added.value["status"] as? Int == 201)
    let location = try #require((added.value["headers"] as? [String: String])?["Location"])
    #expect(try database.answer("\(location)/books").text.contains("Chéri"))
    let tried = try call(
      "write", ["method": "DELETE", "url": location, "headers": ["Prefer": "tx=rollback"]], in: database)
    #expect(!tried.isError || tried.text.contains("409"))
    #expect(try database.answer(location).status == 200)
    let stale = try call(
      "write", ["method": "PATCH", "url": location, "body": ["name": "x"], "headers": ["If-Match": "\"x\""]],
      in: database)
    #expect(stale.isError && stale.text.contains("412"))
  }

  @Test
  func `what the client may not read is not there`() throws {
    let database = try Library.writable(
      modelFile: """
        resources:
          authors: { access: { read: { fields: [id, name] } } }
          books: { access: { read: { roles: [editor] } } }
        """)
    #expect(!(try call("schema", [:], in: database).text.contains("\"books\"")))
    #expect(try call("fetch", ["url": "/books"], in: database).isError)
    #expect(!(try call("fetch", ["url": "/authors"], in: database).text.contains("countryCode")))
  }
}
