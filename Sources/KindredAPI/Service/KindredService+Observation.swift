import KindredHTTP

/// Records each request in the metrics and in the request log.
extension KindredService {
  /// Returns the response, wrapped so that it is recorded once its last byte has been generated.
  func observed(_ response: HTTPResponse, to request: HTTPRequest, _ timing: RequestTiming) -> HTTPResponse {
    var response = response
    switch response.body {
    case .stream(let stream, let length):
      let status = response.status
      let isLive = stream.isLive
      // A stream of events lasts as long as its client likes, so its duration isn't that of a response.
      if isLive { serviceMetrics.count(request.method, status, nanoseconds: timing.nanoseconds) }
      let observed = ObservedBody(stream) {
        if !isLive { self.serviceMetrics.count(request.method, status, nanoseconds: timing.nanoseconds) }
        self.log(request, status, byteCount: $0, timing)
      }
      response.body = .stream(observed, length: length)
    case .bytes(let bytes):
      note(request, response.status, byteCount: request.method == .head ? 0 : bytes.count, timing)
    case .none:
      note(request, response.status, byteCount: 0, timing)
    }
    return response
  }

  private func note(_ request: HTTPRequest, _ status: HTTPStatus, byteCount: Int, _ timing: RequestTiming) {
    serviceMetrics.count(request.method, status, nanoseconds: timing.nanoseconds)
    log(request, status, byteCount: byteCount, timing)
  }

  private func log(_ request: HTTPRequest, _ status: HTTPStatus, byteCount: Int, _ timing: RequestTiming) {
    options.requestLog?.note(
      AnsweredRequest(
        method: request.method,
        path: options.logsQueries ? request.target[...] : request.pathWithoutValues, trace: request.trace,
        status: status, byteCount: byteCount, nanoseconds: timing.nanoseconds, peer: request.peer))
  }
}
