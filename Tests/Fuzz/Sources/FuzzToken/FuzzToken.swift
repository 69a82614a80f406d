import FuzzSupport
import KindredCryptography
import KindredHTTP

/// The service lives as long as the process, and libFuzzer calls from one thread.
nonisolated(unsafe) private let library = FuzzLibrary(secret: secret)

private let secret = Array("a-secret-of-thirty-two-bytes-or-more".utf8)

/// Whatever the value of `Authorization`, the answer must not be a defect; without a valid signature it must be 401.
///
/// The input is the value of the field or, after the byte `=`, a header and claims separated by a line feed, which get
/// signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let isSigned = bytes.first == UInt8(ascii: "=")
  let field = isSigned ? "Bearer \(token(bytes.dropFirst()))" : String(decoding: bytes, as: UTF8.self)
  var request = HTTPRequest(method: .get, target: "/authors?limit=1")
  request.headers.append("Authorization", field)
  let answer = library.answer(request)
  answer.check()
  if !isSigned { check(!answer.isSuccess, "a token that nobody has signed: \(answer)") }
  return 0
}

/// Returns the lines of the content in base64url, with their signature.
private func token(_ content: ArraySlice<UInt8>) -> String {
  let parts = content.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  let signed = parts.map { base64URL($0) }.joined(separator: ".")
  let code = HashFunction.sha256.authenticationCode(of: Array(signed.utf8), key: secret)
  return "\(signed).\(base64URL(code))"
}
