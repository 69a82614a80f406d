import KindredHTTP

/// Records each request in the metrics and in the request log.
extension KindredService {
  /// Returns the response, wrapped so that it is recorded once its last byte has been generated.
  func observed(
    _ response: consuming HTTPResponse, to request: HTTPRequest, _ timing: RequestTiming
  ) -> HTTPResponse {
    switch response.body {
    case .stream(let stream, let length):
      let status = response.status
      let isLive = stream.isLive
      // A stream of events lasts as long as its client likes, so its duration isn't that of a response.
      if isLive { serviceMetrics.count(request.method, status, nanoseconds: timing.nanoseconds) }
      let observed = ObservedBody(stream) {
        self.note(request, status, byteCount: $0, timing.nanoseconds, isCounted: !isLive)
      }
      response.body = .stream(observed, length: length)
    case .bytes(let bytes):
      let byteCount = request.method == .head ? 0 : bytes.count
      note(request, response.status, byteCount: byteCount, timing.nanoseconds, isCounted: true)
    case .none:
      note(request, response.status, byteCount: 0, timing.nanoseconds, isCounted: true)
    }
    return response
  }

  private func note(
    _ request: HTTPRequest, _ status: HTTPStatus, byteCount: Int, _ nanoseconds: UInt64, isCounted: Bool
  ) {
    if isCounted { serviceMetrics.count(request.method, status, nanoseconds: nanoseconds) }
    options.requestLog?.note(
      AnsweredRequest(
        method: request.method,
        path: options.logsQueries ? request.target[...] : request.pathWithoutValues, trace: request.trace,
        status: status, byteCount: byteCount, nanoseconds: nanoseconds, peer: request.peer))
  }
}
