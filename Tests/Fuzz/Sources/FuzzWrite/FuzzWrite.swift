import FuzzSupport
import KindredHTTP

/// The service lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary(isWritable: true)

/// The answer to a write must not be a defect, and a write that fails must change nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let request = HTTPRequest(fuzzed: bytes) else { return 0 }
  let answer = library.answer(request)
  answer.check()
  check(answer.isSuccess || !library.hasChanged, "refused, and written all the same")
  check(library.isSound, "a foreign key refers to nothing")
  // Each input starts with the same library.
  if library.hasChanged { library.restore() }
  return 0
}
