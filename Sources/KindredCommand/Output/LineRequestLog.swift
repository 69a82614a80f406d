import KindredAPI
import KindredHTTP

/// Logs each request in a line of the same form as those of ``LineLogHandler``.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET milliseconds=0.164 path=/books/1 peer=… status=200 request
struct LineRequestLog: RequestLog {
  let output: LogOutput

  func note(_ request: AnsweredRequest) {
    output.append(isUrgent: false) { line in
      line.append("info kindred: bytes=")
      line.append(request.byteCount)
      line.append(" method=")
      line.append(text: request.method.token)
      let microseconds = Int(clamping: request.nanoseconds / 1000)
      line.append(" milliseconds=")
      line.append(microseconds / 1000)
      line.append(UInt8(ascii: "."))
      line.append(microseconds % 1000, digits: 3)
      line.append(" path=")
      request.appendEncodedPath(to: &line)
      line.append(" peer=")
      line.append(text: request.peer ?? "-")
      line.append(" status=")
      line.append(request.status.code)
      if let trace = request.trace {
        line.append(" trace=")
        line.append(text: trace)
      }
      line.append(" request\n")
    }
  }

  func noteRefusal(_ status: HTTPStatus, peer: String?) {
    output.append(isUrgent: false) { line in
      line.append("info kindred: peer=")
      line.append(text: peer ?? "-")
      line.append(" status=")
      line.append(status.code)
      line.append(" refused\n")
    }
  }
}
