@testable import KindredHTTP

/// The requests that a parser finds in a connection's bytes, in a comparable form.
struct ParsedRequests: Equatable, CustomStringConvertible {
  var lines: [String] = []

  var description: String { lines.joined(separator: "\n") }

  /// Feeds the bytes in parts of the given sizes, then the rest; what isn't consumed is presented again.
  init(_ bytes: [UInt8], parts: [Int], limits: HTTPLimits = HTTPLimits()) {
    var parser = HTTPRequestParser(limits: limits)
    var pending: [UInt8] = []
    var position = 0
    for part in parts + [bytes.count] {
      let end = min(position + part, bytes.count)
      pending += bytes[position..<end]
      position = end
      guard take(&pending, &parser) else { return }
    }
  }

  init(_ text: String, limits: HTTPLimits = HTTPLimits()) {
    self.init(Array(text.utf8), parts: [], limits: limits)
  }

  private mutating func take(_ pending: inout [UInt8], _ parser: inout HTTPRequestParser) -> Bool {
    while true {
      do {
        let (consumed, event) = try pending.withUnsafeBytes { bytes in
          Result { () throws(HTTPError) in try parser.parse(bytes) }
        }.get()
        pending.removeFirst(consumed)
        switch event {
        case nil: return true
        case .head(let head): lines.append(Self.text(head))
        case .part(let part): lines.append("part \(part.count)")
        case .content(let content): lines.append("content \(String(decoding: content, as: UTF8.self))")
        }
      } catch {
        lines.append("\(error.status.code) \(error.detail)")
        return false
      }
    }
  }

  private static func text(_ head: HTTPRequestHead) -> String {
    let fields = head.headers.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    return "\(head.method) \(head.target) \(head.version) [\(fields)] \(head.framing)"
      + (head.expectsContinue ? " expects" : "") + (head.isPersistent ? "" : " last")
  }

  /// The status with which the last request was refused, or nil if none was.
  var refusal: Int? {
    lines.last.flatMap { Int($0.prefix(3)) }
  }
}
