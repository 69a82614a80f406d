import KindredAPI
import KindredHTTP

/// A line for each request, in the form of those of ``LineLogHandler``.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET milliseconds=0.164 path=/books/1 peer=… status=200 request
struct LineRequestLog: RequestLog {
  let output: LogOutput

  func note(_ request: AnsweredRequest) {
    output.append(isUrgent: false) { line in
      line += "info kindred: bytes=".utf8
      line.append(request.byteCount)
      line += " method=".utf8
      line += request.method.token.utf8
      let microseconds = Int(clamping: request.nanoseconds / 1000)
      line += " milliseconds=".utf8
      line.append(microseconds / 1000)
      line.append(UInt8(ascii: "."))
      line.append(microseconds % 1000, digits: 3)
      line += " path=".utf8
      Self.append(request.path, to: &line)
      line += " peer=".utf8
      line += (request.peer ?? "-").utf8
      line += " status=".utf8
      line.append(request.status.code)
      line += " request\n".utf8
    }
  }

  func noteRefusal(_ status: HTTPStatus) {
    output.append(isUrgent: false) { line in
      line += "info kindred: status=".utf8
      line.append(status.code)
      line += " refused\n".utf8
    }
  }

  /// Encodes what no URL holds, so that a path begins neither a line nor another item.
  private static func append(_ path: Substring, to line: inout [UInt8]) {
    let digits: StaticString = "0123456789ABCDEF"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
        UInt8(ascii: "`"), UInt8(ascii: "{")...UInt8(ascii: "}"), 0...0x20, 0x7F...:
        line.append(UInt8(ascii: "%"))
        line.append(digits.utf8Start[Int(byte >> 4)])
        line.append(digits.utf8Start[Int(byte & 15)])
      default:
        line.append(byte)
      }
    }
  }
}
