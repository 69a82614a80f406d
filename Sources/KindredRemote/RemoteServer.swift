import Foundation
import Kindred
import Synchronization

/// Exchanges requests and answers with a server, and knows its schema.
final class RemoteServer: Sendable {
  private struct State {
    var schema: RemoteSchema?
    var position = RemotePosition()
  }

  private let base: String
  private let token: @Sendable () async throws -> String?
  private let transport: RemoteTransport
  private let state = Mutex(State())

  /// The length of a URL above which its query is sent as content: proxies and servers may take less than Kindred does.
  private static let maximumURLLength = 6000
  /// The length of documents of the server's own, of a line and of an event, at most.
  static let maximumDocumentLength = 64 << 20
  private static let rows = "application/x-ndjson;profile=rows"
  private static let events = "text/event-stream;profile=rows"

  init(
    _ url: URL, token: @escaping @Sendable () async throws -> String?, transport: @escaping RemoteTransport
  ) {
    let text = url.absoluteString
    base = text.hasSuffix("/") ? String(text.dropLast()) : text
    self.token = token
    self.transport = transport
  }

  func url(_ target: String) throws -> URL {
    guard let url = URL(string: base + target) else { throw RemoteError.notExpressible("the URL \(base)") }
    return url
  }

  // MARK: Requests

  /// Returns a request in the terms of the server's schema.
  func prepare(_ blueprint: RequestBlueprint, counting: Bool = false) async throws -> PreparedRemoteRequest {
    try PreparedRemoteRequest(blueprint, in: try await schema(), counting: counting)
  }

  /// Returns the result of `body`, which runs once more if the server knows a name no longer, and its schema is a new
  /// one.
  ///
  /// - Throws: The error of `body`, an error of the transport as it has thrown it.
  func renewing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await renewingSchema(body)
    } catch let error as NetworkError {
      throw error.cause
    }
  }

  /// As `renewing`, but errors of the transport are a `NetworkError`.
  private func renewingSchema<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as RemoteError where error.isOfUnknownName {
      guard try await renewSchema() else { throw error }
      return try await body()
    }
  }

  /// Returns the rows of a request, which is sent before.
  func rows(of blueprint: RequestBlueprint, _ failures: DecodingFailures) async throws -> RemoteRows {
    try await renewing {
      let request = try await prepare(blueprint)
      let response = try await answer(to: request) { try await send($0, accept: Self.rows) }
      return RemoteRows(of: response?.body, request.layout, failures)
    }
  }

  func count(of request: PreparedRemoteRequest) async throws -> Int {
    guard let response = try await answer(to: request, head) else { return 0 }
    guard let total = response.headers["x-total-count"].flatMap({ Int64($0) }), total >= 0 else {
      throw RemoteError.malformedAnswer("it has no `X-Total-Count`")
    }
    return request.count(of: total)
  }

  /// Returns the answer that `send` receives; nil if the record with which the request begins isn't there.
  private func answer(
    to request: PreparedRemoteRequest, _ send: (_ target: String) async throws -> RemoteResponse
  ) async throws -> RemoteResponse? {
    do {
      return try await send(request.target)
    } catch let error as RemoteError where request.startsWithMissingRecord(error) {
      return nil
    }
  }

  /// Returns the answer to HEAD.
  ///
  /// - Throws: As `send`; the kind of error is that of the answer to GET, since one to HEAD has no content.
  private func head(_ target: String) async throws -> RemoteResponse {
    do {
      return try await send(target, method: "HEAD", accept: "application/json")
    } catch let error as RemoteError where error.isWithoutCode {
      return try await send(target, accept: "application/json")
    }
  }

  /// Passes the rows of each event of a request to a closure, until it throws.
  ///
  /// Where the record with which the request begins isn't there, it passes no rows once, and goes on.
  func listen(
    to blueprint: RequestBlueprint, _ body: ((DecodingFailures) throws -> [Row]) throws -> Void
  ) async throws {
    var lastID: String?
    var pause = 1.0
    var isRecordMissing = false
    while true {
      do {
        try await renewingSchema {
          let request = try await prepare(blueprint)
          let headers = lastID.map { [(name: "Last-Event-ID", value: $0)] } ?? []
          let answer = try await answer(to: request) {
            try await send($0, accept: Self.events, headers: headers)
          }
          guard let response = answer else {
            // When the record is back, its rows are new, even where they are those before.
            lastID = nil
            if !isRecordMissing { try body { _ in [] } }
            isRecordMissing = true
            return
          }
          pause = 1
          isRecordMissing = false
          var events = EventParser()
          var parts = response.body.makeAsyncIterator()
          while let part = try await Self.next(&parts) {
            for event in try events.parse(part) {
              lastID = event.id ?? lastID
              try body { failures in
                var parser = RowParser(event.data[...], failures)
                return try parser.rows(request.layout)
              }
            }
          }
        }
      } catch let error as RemoteError where !error.mayPass {
        throw error
      } catch let error as RemoteError {
        pause = max(pause, error.problem?.retryAfter ?? 0)
      } catch is NetworkError {
        // It may be back later.
      }
      try await Task.sleep(for: .seconds(pause))
      pause = min(pause * 2, 30)
    }
  }

  // MARK: The schema

  private func schema() async throws -> RemoteSchema {
    if let known = state.withLock({ $0.schema }) { return known }
    _ = try await renewSchema()
    guard let schema = state.withLock({ $0.schema }) else {
      throw RemoteError.malformedAnswer("it has no schema")
    }
    return schema
  }

  /// Reads the schema, unless it is still the one that is known.
  ///
  /// - Returns: Whether it is another one.
  private func renewSchema() async throws -> Bool {
    let tag = state.withLock { $0.schema?.tag }
    let response = try await send(
      "/-/schema", accept: "application/json", headers: tag.map { [(name: "If-None-Match", value: $0)] } ?? []
    )
    guard response.status != 304 else { return false }
    let content: [UInt8]
    do {
      content = try await response.content(limit: Self.maximumDocumentLength)
    } catch {
      throw Self.networkError(error)
    }
    let schema = try RemoteSchema(json: content, tag: response.headers["etag"])
    state.withLock { $0.schema = schema }
    return true
  }

  // MARK: Exchanges

  /// An error of the transport, after which the same request may succeed.
  private struct NetworkError: Error {
    let cause: any Error
  }

  /// Returns what an error of the transport is thrown as.
  private static func networkError(_ error: any Error) -> any Error {
    if error is RemoteError || error is CancellationError { return error }
    return NetworkError(cause: error)
  }

  /// Returns the next part of a content; nil if there is none.
  private static func next(
    _ parts: inout AsyncThrowingStream<[UInt8], any Error>.Iterator
  ) async throws -> [UInt8]? {
    do {
      return try await parts.next()
    } catch {
      throw networkError(error)
    }
  }

  /// Returns the answer to a request.
  ///
  /// - Throws: `RemoteError` if its status is that of an error, `NetworkError`.
  private func send(
    _ target: String, method: String = "GET", accept: String, headers: [(name: String, value: String)] = []
  ) async throws -> RemoteResponse {
    var request = RemoteRequest(method: method, url: try url(target), headers: headers, body: nil)
    request.headers.append(("Accept", accept))
    if let token = try await currentToken() { request.headers.append(("Authorization", "Bearer \(token)")) }
    if let position = state.withLock({ $0.position.text }) {
      request.headers.append(("Kindred-Position", position))
    }
    if base.utf8.count + target.utf8.count > Self.maximumURLLength, let mark = target.firstIndex(of: "?") {
      // RFC 10008; an answer to QUERY has a content, which isn't read.
      request.method = "QUERY"
      request.url = try url(String(target[..<mark]))
      request.body = Array(target[target.index(after: mark)...].utf8)
      request.headers.append(("Content-Type", "application/x-www-form-urlencoded"))
    }
    let response: RemoteResponse
    do {
      response = try await transport(request)
    } catch {
      throw Self.networkError(error)
    }
    if let position = response.headers["kindred-position"] {
      state.withLock { $0.position.advance(to: position) }
    }
    guard 200..<300 ~= response.status || response.status == 304 else { throw try await Self.error(response) }
    return response
  }

  /// - Throws: `NetworkError`, since a token is often fetched: a live sequence asks for it again.
  private func currentToken() async throws -> String? {
    do {
      return try await token()
    } catch {
      throw Self.networkError(error)
    }
  }

  private struct ProblemDocument: Decodable {
    var type: String?
    var detail: String?
    var title: String?
    var parameter: String?
    var position: Int?
    var suggestions: [String]?
  }

  private static func error(_ response: RemoteResponse) async throws -> RemoteError {
    let content = (try? await response.content(limit: 1 << 20)) ?? []
    let document = try? JSONDecoder().decode(ProblemDocument.self, from: Data(content))
    var problem = RemoteProblem(
      status: response.status,
      code: document?.type.flatMap { $0.split(separator: "#").last.map(String.init) },
      detail: document?.detail ?? document?.title ?? String(decoding: content.prefix(1000), as: UTF8.self))
    problem.parameter = document?.parameter
    problem.position = document?.position
    problem.suggestions = document?.suggestions ?? []
    problem.retryAfter = response.headers["retry-after"].flatMap { Double($0) }.flatMap {
      0..<86_400 ~= $0 ? $0 : nil
    }
    return RemoteError(problem)
  }
}

/// The greatest position that an answer has come with: sent back, it keeps later answers from showing less.
struct RemotePosition {
  private(set) var text: String?
  private var timeline: UInt32 = 0
  private var number: UInt64 = 0

  /// Notes a position, which is a decimal number of a timeline and two hexadecimal numbers; any other text is ignored.
  mutating func advance(to text: String) {
    let parts = text.split(separator: "-")
    guard parts.count == 2, let timeline = UInt32(parts[0]) else { return }
    let halves = parts[1].split(separator: "/").compactMap { UInt32($0, radix: 16) }
    guard halves.count == 2 else { return }
    let number = UInt64(halves[0]) << 32 | UInt64(halves[1])
    if self.text == nil || (timeline, number) > (self.timeline, self.number) {
      (self.text, self.timeline, self.number) = (text, timeline, number)
    }
  }
}
