import KindredAPI
import KindredHTTP
import Logging

/// Logs each request in a line of the same form as those of ``LineLogHandler``.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET milliseconds=0.164 path=/books/1 peer=… status=200 request
struct LineRequestLog: RequestLog {
  let output: LogOutput

  func note(_ request: AnsweredRequest) {
    output.append(.info) { line in
      line.append("bytes", request.byteCount)
      line.append("method", text: request.method.token)
      line.append("milliseconds", microseconds: Int(clamping: request.nanoseconds / 1000))
      request.withEncodedPath { line.append("path", plain: $0) }
      line.append("peer", text: request.peer ?? "-")
      line.append("status", request.status.code)
      if let trace = request.trace { line.append("trace", text: trace) }
      line.end("request")
    }
  }

  func noteRefusal(_ status: HTTPStatus, peer: String?) {
    output.append(.info) { line in
      line.append("peer", text: peer ?? "-")
      line.append("status", status.code)
      line.end("refused")
    }
  }
}
