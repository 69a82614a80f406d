import KindredHTTP

/// What is noted about each request: in the metrics, and in the log of requests.
extension KindredService {
  /// The answer as it is to be sent, so that it is noted when the last byte of it has been.
  func observed(_ response: HTTPResponse, to request: HTTPRequest, _ timing: RequestTiming) -> HTTPResponse {
    var response = response
    switch response.body {
    case .stream(let stream, let length):
      let status = response.status
      let observed = ObservedBody(stream) { self.note(request, status, byteCount: $0, timing) }
      response.body = .stream(observed, length: length)
    case .bytes(let bytes):
      note(request, response.status, byteCount: request.method == .head ? 0 : bytes.count, timing)
    case .none:
      note(request, response.status, byteCount: 0, timing)
    }
    return response
  }

  private func note(_ request: HTTPRequest, _ status: HTTPStatus, byteCount: Int, _ timing: RequestTiming) {
    let nanoseconds = timing.nanoseconds
    serviceMetrics.count(request.method, status, nanoseconds: nanoseconds)
    options.requestLog?.note(
      AnsweredRequest(
        method: request.method,
        path: options.logsQueries ? request.target[...] : request.pathWithoutValues, trace: request.trace,
        status: status, byteCount: byteCount, nanoseconds: nanoseconds, peer: request.peer))
  }
}
