import KindredHTTP
import Logging

/// What is noted about each request: in the metrics, and in the access log.
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
    guard options.logsAccess else { return }
    logger.info(
      "request",
      metadata: [
        "method": .string(request.method.token),
        // Without the query, which holds values; encoded, so that no line can be forged.
        "path": .string(URLCoding.encodeUnsafe(String(request.path))),
        "status": .stringConvertible(status.code),
        "bytes": .stringConvertible(byteCount),
        "milliseconds": .string(RequestTiming.milliseconds(nanoseconds)),
        "peer": .string(request.peer ?? "-"),
      ])
  }
}
