import FuzzSupport
import KindredHTTP

/// The results of parsing a connection's bytes, in a form that can be compared.
struct ParsedRequests: Equatable {
  private var events: [String] = []

  /// Parses the bytes in parts of the given sizes, then the rest; unconsumed bytes are presented again.
  init(_ bytes: [UInt8], parts: [Int], limits: HTTPLimits) {
    var parser = HTTPRequestParser(limits: limits)
    var consumed = 0
    var end = 0
    for part in parts + [bytes.count] {
      end = min(end + part, bytes.count)
      guard take(bytes, from: &consumed, to: end, &parser) else { return }
    }
  }

  /// Parses until more bytes are needed; returns false after an error.
  private mutating func take(
    _ bytes: [UInt8], from start: inout Int, to end: Int, _ parser: inout HTTPRequestParser
  ) -> Bool {
    while true {
      // A copy of exactly its size, so that the address sanitizer sees a read past its end.
      let pending = [UInt8](bytes[start..<end])
      let outcome = pending.withUnsafeBytes { input in
        Result { () throws(HTTPError) in try parser.parse(input) }
      }
      switch outcome {
      case .failure(let error):
        check((400...599).contains(error.status.code), "no status of an error: \(error.status.code)")
        events.append("\(error.status.code) \(error.detail)")
        return false
      case .success(let (consumed, event)):
        check((0...pending.count).contains(consumed), "\(consumed) of \(pending.count) bytes consumed")
        start += consumed
        guard let event else { return true }
        events.append(Self.text(event))
      }
    }
  }

  private static func text(_ event: HTTPRequestParser.Event) -> String {
    switch event {
    case .part(let part): return "part \(part)"
    case .content(let content): return "content \(content)"
    case .head(let head):
      let fields = head.headers.map { "\($0.name): \($0.value)" }
      return
        "\(head.method) \(head.target) \(head.version) \(fields) \(head.framing) \(head.expectsContinue) \(head.isPersistent)"
    }
  }
}
