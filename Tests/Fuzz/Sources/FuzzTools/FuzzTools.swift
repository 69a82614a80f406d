import FuzzSupport
import KindredHTTP

/// The service lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary()

/// Completion and description must succeed for any text and any position.
///
/// The first byte determines the position, as a fraction of the length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let first = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self) else {
    return 0
  }
  let position = Int(first) * text.unicodeScalars.count / 255
  let url = percentEncoded(text)
  for target in ["/-/complete?url=\(url)&position=\(position)", "/-/describe?url=\(url)"] {
    let answer = library.answer(HTTPRequest(method: .get, target: target))
    answer.check()
    check(answer.isSuccess, "\(target): \(answer)")
  }
  return 0
}
