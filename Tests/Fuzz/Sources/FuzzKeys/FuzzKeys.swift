import FuzzSupport
import KindredHTTP

/// The service lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary()

/// Whatever a set of keys holds, it is refused, or verifies no unsigned token.
///
/// The input is a line that names an algorithm and a key, and the set (RFC 7517 §5) behind it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  let names = parts[0].split(separator: UInt8(ascii: " "), maxSplits: 1).map {
    String(decoding: $0, as: UTF8.self)
  }
  let header = #"{"alg":"\#(names.first ?? "")","kid":"\#(names.last ?? "")"}"#
  let signature = [UInt8](repeating: 0x5A, count: 64)
  let token = [Array(header.utf8), Array("{}".utf8), signature].map { base64URL($0) }
  var request = HTTPRequest(method: .get, target: "/authors?limit=1")
  request.headers.append("Authorization", "Bearer \(token.joined(separator: "."))")
  guard let answer = library.answer(request, keys: parts.count > 1 ? Array(parts[1]) : []) else { return 0 }
  answer.check()
  check(!answer.isSuccess, "a token that nobody has signed: \(answer)")
  return 0
}
