import KindredHTTP

/// An answer, read to its end.
public struct FuzzAnswer: CustomStringConvertible {
  private let status: Int
  private let type: String
  private let isGzip: Bool
  private var content: [UInt8] = []
  private var isComplete = true

  /// Whether the status is 2xx.
  public var isSuccess: Bool { (200..<300).contains(status) }

  /// The length at which reading stops, much larger than the whole library.
  private static let maximumLength = 16 << 20

  /// Reads the content to its end and closes it.
  public init(_ response: HTTPResponse) {
    status = response.status.code
    type = response.headers["Content-Type"] ?? ""
    isGzip = response.headers["Content-Encoding"] != nil
    switch response.body {
    case .none: break
    case .bytes(let bytes): content = bytes
    case .stream(let stream, _) where stream.isLive:
      stream.close()
      isComplete = false
    case .stream(let stream, let length):
      defer { stream.close() }
      do {
        while let part = try stream.next() {
          content += part
          guard content.count <= Self.maximumLength else {
            isComplete = false
            return
          }
        }
        FuzzSupport.check(
          length == nil || length == content.count, "\(content.count) bytes instead of \(length ?? 0)")
      } catch {
        isComplete = false
      }
    }
  }

  /// Whether status and content are equal; entity tags differ between services.
  public func isSame(as other: FuzzAnswer) -> Bool {
    // A timeout says nothing about the content.
    status == 503 || other.status == 503 || (status == other.status && content == other.content)
  }

  /// The status, the type and the beginning of the content.
  public var description: String { "\(status) \(type): \(text)" }

  /// Ends the process if the answer reports a defect, or its content doesn't match its type.
  public func check() {
    FuzzSupport.check(status != 500, "a defect: \(text)")
    // 501 is what an unknown method gets (RFC 9110 §15.6.2).
    FuzzSupport.check(
      (200..<300).contains(status) || [304, 501, 503].contains(status) || (400..<500).contains(status),
      "\(status)")
    FuzzSupport.check(status < 400 || !text.contains("SQLITE_"), "SQL in a problem: \(text)")
    guard isComplete, !isGzip, !content.isEmpty, status != 304 else { return }
    if ["application/json", "application/problem+json"].contains(type) {
      checkJSON(content)
    } else if ["application/x-ndjson", "application/jsonl"].contains(type) {
      content.split(separator: UInt8(ascii: "\n")).forEach { checkJSON($0) }
    } else {
      FuzzSupport.check(String(validating: content, as: UTF8.self) != nil, "no UTF-8 in \(type)")
    }
  }

  private func checkJSON(_ bytes: some Collection<UInt8>) {
    FuzzSupport.check(JSONGrammar.isText(bytes), "no JSON: \(text)")
  }

  private var text: String { String(decoding: content.prefix(2000), as: UTF8.self) }
}
