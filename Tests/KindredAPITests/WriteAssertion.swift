import Foundation
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

/// A library that clients may write to.
extension Library {
  static func writable(_ more: String = "", modelFile: String? = nil) throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    // Two libraries give a page the same tag.
    options.cursorKey = [UInt8](0..<32)
    return try TestDatabase(schema + records + more, modelFile: modelFile, options: options)
  }
}

extension TestDatabase {
  /// A database of this schema that clients may write to.
  static func writable(_ sql: String, modelFile: String? = nil) throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    return try TestDatabase(sql, modelFile: modelFile, options: options)
  }

  /// Returns the response to a write; content is sent as JSON unless the headers name another type.
  func send(
    _ method: HTTPMethod, _ target: String, _ content: String? = nil, headers: HTTPHeaders = [:]
  ) throws -> Answer {
    var headers = headers
    if content != nil, headers["Content-Type"] == nil { headers.append("Content-Type", "application/json") }
    return try Answer(
      service.respond(
        to: HTTPRequest(
          method: method, target: Self.encoded(target), headers: headers, body: Array((content ?? "").utf8))))
  }

  /// The content of the database, read without the service: columns separated by bars, rows by semicolons.
  func stored(_ sql: String) throws -> String {
    let connection = try Connection(path: path, access: .readOnly)
    return try connection.withStatement(sql) { statement in
      var rows: [String] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }.joined(separator: "|"))
      }
      return rows.joined(separator: "; ")
    }
  }
}

extension Answer {
  /// A member of the problem in the response.
  func problem(_ member: String) -> String? {
    let document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    return document?[member].map { "\($0)" }
  }
}

/// Asserts the response to a write, and what is stored afterwards.
func expectWrite(
  _ method: HTTPMethod, _ target: String, _ content: String? = nil, on database: TestDatabase, status: Int,
  json: String = "", location: String? = nil, stored: (sql: String, rows: String)? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let answer = try database.send(method, target, content)
  #expect(answer.status == status, sourceLocation: sourceLocation)
  let expected = json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
  #expect(answer.text == expected, sourceLocation: sourceLocation)
  #expect(answer.headers["Location"] == location, sourceLocation: sourceLocation)
  if let stored { #expect(try database.stored(stored.sql) == stored.rows, sourceLocation: sourceLocation) }
}

/// Asserts that a write is refused, where in the content the mistake is, and that nothing was written.
func expectRefusal(
  _ method: HTTPMethod, _ target: String, _ content: String? = nil, on database: TestDatabase, status: Int,
  code: ServiceErrorCode, pointer: String? = nil, suggestion: String? = nil, headers: HTTPHeaders = [:],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let watcher = try Connection(path: database.path, access: .readOnly)
  let version = try watcher.dataVersion
  let answer = try database.send(method, target, content, headers: headers)
  #expect(answer.status == status, sourceLocation: sourceLocation)
  #expect(answer.problem("type") == "/-/errors#\(code.rawValue)", sourceLocation: sourceLocation)
  #expect(answer.problem("pointer") == pointer, sourceLocation: sourceLocation)
  if let suggestion {
    #expect(answer.problem("suggestions")?.contains(suggestion) ?? false, sourceLocation: sourceLocation)
  }
  #expect(try watcher.dataVersion == version, "something was committed", sourceLocation: sourceLocation)
}
