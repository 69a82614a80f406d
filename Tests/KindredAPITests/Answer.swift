import Foundation
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

/// A response as its client sees it.
struct Answer {
  let status: Int
  let headers: HTTPHeaders
  let bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }

  init(_ response: HTTPResponse) throws {
    status = response.status.code
    headers = response.headers
    switch response.body {
    case .none: bytes = []
    case .bytes(let content): bytes = content
    case .stream(let stream, _):
      defer { stream.close() }
      var content: [UInt8] = []
      while let part = try stream.next() { content += part }
      bytes = content
    }
  }

  /// The content without gzip.
  var unzipped: [UInt8] {
    get throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID().uuidString).gz")
      try Data(bytes).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let process = Process()
      process.executableURL = URL(filePath: "/bin/gzip")
      process.arguments = ["-dc", file.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let content = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0, "gzip refuses the content")
      return Array(content)
    }
  }
}

extension TestDatabase {
  func answer(
    _ target: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:]
  ) throws -> Answer {
    try Answer(
      service.respond(to: HTTPRequest(method: method, target: Self.encoded(target), headers: headers)))
  }
}

extension TestDatabase {
  /// Returns the answer to a request with JSON as its content, if there is any.
  func answer(_ method: HTTPMethod, _ target: String, _ json: String? = nil) throws -> Answer {
    try Answer(
      service.respond(
        to: HTTPRequest(
          method: method, target: Self.encoded(target),
          headers: json == nil ? [:] : ["Content-Type": "application/json"], body: Array((json ?? "").utf8))))
  }
}

extension KindredService.Options {
  /// The default options, but that clients may write.
  static var writable: Self {
    var options = Self()
    options.isWritable = true
    return options
  }
}

extension Library {
  /// A library with more books than fit into one part of a response.
  static func largeDatabase(options: KindredService.Options = .init()) throws -> TestDatabase {
    try database(books: 5000, options: options)
  }

  /// A library with so many books that they are streamed.
  static func longDatabase(options: KindredService.Options = .init()) throws -> TestDatabase {
    try database(books: 15000, options: options)
  }

  private static func database(books: Int, options: KindredService.Options) throws -> TestDatabase {
    try TestDatabase(
      schema + """
        WITH number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(books))
        INSERT INTO book (id, title, kind) SELECT n, 'Book number ' || n, 'novel' FROM number;
        """, options: options)
  }
}

extension KindredService {
  /// Returns the response to a request that its head decides; nil if its content is received.
  func rejection(of request: HTTPRequest) -> HTTPResponse? {
    if case .refuse(let response) = consider(request) { response } else { nil }
  }

  /// Returns whether the content of a request may be too long for memory.
  func takesLongBody(_ request: HTTPRequest) -> Bool {
    if case .receive(let isLong, _) = consider(request) { isLong } else { false }
  }
}

/// Runs `body` while no request can get a connection, so that any response needs no query.
func withoutConnections<Result>(of database: TestDatabase, _ body: () throws -> Result) throws -> Result {
  let taken = try (0..<4).map { _ in try database.pool.reader() }
  defer { for connection in taken { database.pool.release(connection) } }
  return try body()
}
