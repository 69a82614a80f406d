import FuzzSupport
import KindredAPI
import KindredSQLiteBackend
import KindredModelFile
import KindredSQLite

/// The library lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary()

/// A model file must be rejected with an error, or make a model whose resources and associations can all be requested.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  // `ModelFileReader` rejects invalid UTF-8.
  guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
  do {
    try library.serve(ModelFileParser(path: "model.yaml").parse(text))
  } catch is ModelFileError {
  } catch {
    check(false, "an error of another kind: \(type(of: error)) \(error)")
  }
  return 0
}
