import KindredHTTP
import KindredRequests

/// Adds the fields that all responses have, and records each in the metrics and in the request log.
final class ResponseFinisher: Sendable {
  private let options: KindredService.Options
  private let access: AccessControl
  private let metrics: ServiceMetrics

  init(_ options: KindredService.Options, _ access: AccessControl, _ metrics: ServiceMetrics) {
    self.options = options
    self.access = access
    self.metrics = metrics
  }

  /// Returns the response with the fields that all responses have, to be recorded once it has been generated.
  ///
  /// - Parameter response: Consumed, so that adding fields doesn't copy the existing ones.
  func finished(
    _ response: consuming HTTPResponse, to request: HTTPRequest, _ timing: RequestTiming
  ) -> HTTPResponse {
    var response = options.basePath.added(to: response)
    if access.isRestricted { response.dependOnCredentials(and: access.policyHeaders) }
    options.cors?.apply(to: &response, for: request, allowing: access.policyHeaders)
    if options.tellsTiming { response.headers.append("Server-Timing", timing.field) }
    response.protectBrowsers(
      requiringHTTPS: options.requiresHTTPS, allowingOrigins: options.cors != nil)
    return observed(response, to: request, timing)
  }

  /// Returns the problem for a request that the HTTP layer refuses.
  func response(to error: HTTPError, from peer: String?) -> HTTPResponse {
    options.requestLog?.noteRefusal(error.status, peer: peer)
    metrics.countRefusal(error.status)
    var response = options.basePath.added(to: Problem(error).response)
    options.cors?.applyWithoutOrigin(to: &response)
    response.protectBrowsers(
      requiringHTTPS: options.requiresHTTPS, allowingOrigins: options.cors != nil)
    return response
  }

  /// Returns the response, wrapped so that it is recorded once its last byte has been generated.
  private func observed(
    _ response: consuming HTTPResponse, to request: HTTPRequest, _ timing: RequestTiming
  ) -> HTTPResponse {
    switch response.body {
    case .stream(let stream, let length):
      let status = response.status
      let isLive = stream.isLive
      // A stream of events lasts as long as its client likes, so its duration isn't that of a response.
      if isLive { metrics.count(request.method, status, timing.shape, nanoseconds: timing.nanoseconds) }
      let observed = ObservedBody(stream) {
        self.note(request, status, byteCount: $0, timing, isCounted: !isLive)
      }
      response.body = .stream(observed, length: length)
    case .bytes(let bytes):
      let byteCount = request.method == .head ? 0 : bytes.count
      note(request, response.status, byteCount: byteCount, timing, isCounted: true)
    case .none:
      note(request, response.status, byteCount: 0, timing, isCounted: true)
    }
    return response
  }

  private func note(
    _ request: HTTPRequest, _ status: HTTPStatus, byteCount: Int, _ timing: RequestTiming, isCounted: Bool
  ) {
    let nanoseconds = timing.nanoseconds
    if isCounted { metrics.count(request.method, status, timing.shape, nanoseconds: nanoseconds) }
    options.requestLog?.note(
      AnsweredRequest(
        method: request.method,
        path: options.logsQueries ? request.target[...] : request.pathWithoutValues, trace: request.trace,
        status: status, byteCount: byteCount, nanoseconds: nanoseconds, peer: request.peer))
  }
}

extension HTTPResponse {
  /// Marks the response as depending on the credentials, so that caches keep it for this client only (RFC 9111
  /// §5.2.2.7).
  ///
  /// - Parameter fields: The names of other header fields that it depends on.
  fileprivate mutating func dependOnCredentials(and fields: [String]) {
    let control = headers["Cache-Control"]
    // The explorer's files are the same for everybody.
    if let control, control.hasPrefix("public") { return }
    headers.set("Vary", (headers.values(for: "Vary") + ["Authorization"] + fields).joined(separator: ", "))
    if control != "no-store" { headers.set("Cache-Control", control.map { "private, \($0)" } ?? "private") }
  }

  /// Forbids MIME sniffing (Fetch standard, "X-Content-Type-Options"), plain HTTP for a year (RFC 6797) if required, and,
  /// where no page of another origin may use the service, embedding by pages of other sites
  /// ("Cross-Origin-Resource-Policy"), which would learn whether a record is there.
  fileprivate mutating func protectBrowsers(requiringHTTPS: Bool, allowingOrigins: Bool) {
    headers.append(contentsOf: allowingOrigins ? Self.noSniffing : Self.noSniffingNorEmbedding)
    if requiringHTTPS { headers.append("Strict-Transport-Security", "max-age=31536000") }
  }

  private static let noSniffing: HTTPHeaders = ["X-Content-Type-Options": "nosniff"]
  private static let noSniffingNorEmbedding: HTTPHeaders = [
    "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-site",
  ]
}

/// A stream whose bytes are counted while it is sent.
final class ObservedBody: HTTPBodyStream {
  private let content: any HTTPBodyStream
  private var count = 0
  private let atEnd: (_ count: Int) -> Void

  /// - Parameter atEnd: Called with the number of bytes when the stream is closed.
  init(_ content: any HTTPBodyStream, atEnd: @escaping (_ count: Int) -> Void) {
    self.content = content
    self.atEnd = atEnd
  }

  var isLive: Bool { content.isLive }

  var mayWait: Bool { content.mayWait }

  func onReady(_ wake: @escaping @Sendable () -> Void) { content.onReady(wake) }

  func yield() throws { try content.yield() }

  func next() throws -> UnsafeRawBufferPointer? {
    let part = try content.next()
    count += part?.count ?? 0
    return part
  }

  var chunk: UnsafeRawBufferPointer? { content.chunk }

  func close() {
    content.close()
    atEnd(count)
  }
}
