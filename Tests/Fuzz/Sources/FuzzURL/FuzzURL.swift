import FuzzSupport
import KindredHTTP

/// The service lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary()

/// The types of records, and all of them.
private let types = [
  "application/json", "application/x-ndjson", "application/jsonl", "text/csv", "text/html", "*/*",
]

/// The answer to a request must not be a defect, must match its header fields, and must not depend on earlier requests.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard var request = HTTPRequest(fuzzed: bytes) else { return 0 }
  var generator = SplitMix64([UInt8](bytes))
  if request.headers["Accept"] == nil {
    request.headers.append("Accept", types[Int(generator.next() % UInt64(types.count))])
  }
  let answer = library.answer(request)
  answer.check()
  if Repetition.isChosen(bytes), let long = request.withRepeatedParameters { library.answer(long).check() }
  // Plans are cached by the shape of a request, so there may be one that was made for other values. A new service is
  // expensive, so only some answers are compared with one.
  guard generator.next().isMultiple(of: 16), request.isRepeatable else { return 0 }
  let other = library.answerAnew(request)
  check(answer.isSame(as: other), "another answer from the same records:\n\(answer)\n\(other)")
  return 0
}

extension HTTPRequest {
  /// A QUERY with the same parameters again and again; nil if there are none.
  fileprivate var withRepeatedParameters: HTTPRequest? {
    guard let query, !query.isEmpty else { return nil }
    return HTTPRequest(
      method: .query, target: String(path), headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Array(Repetition.of(String(query), separatedBy: "&").utf8))
  }

  /// Whether the answer depends neither on the time nor on the service.
  fileprivate var isRepeatable: Bool {
    !target.hasPrefix("/-/") && !target.lowercased().contains("now")
  }
}
