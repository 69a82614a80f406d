import FuzzSupport
import KindredHTTP

/// The service lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary()

/// A request must get an answer that is no defect and is what its fields say, and whoever has asked before.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let request = HTTPRequest(fuzzed: bytes) else { return 0 }
  let answer = library.answer(request)
  answer.check()
  // Plans are kept by the shape of a request: by now there may be one that was made for other values. What a service
  // without a past says costs much more, so only some are compared.
  var generator = SplitMix64([UInt8](bytes))
  guard generator.next().isMultiple(of: 16), request.isRepeatable else { return 0 }
  let other = library.answerAnew(request)
  check(answer.isSame(as: other), "another answer from the same records:\n\(answer)\n\(other)")
  return 0
}

extension HTTPRequest {
  /// Whether nothing of the time and of the service itself is in the answer.
  fileprivate var isRepeatable: Bool {
    !target.hasPrefix("/-/") && !target.lowercased().contains("now")
  }
}
