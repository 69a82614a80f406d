import FuzzSupport
import KindredHTTP

/// Limits so low that inputs of a few hundred bytes reach them.
private let limits = {
  var limits = HTTPLimits()
  limits.maxTargetLength = 100
  limits.maxHeaderLength = 400
  limits.maxHeaderCount = 10
  limits.maxBodyLength = 200
  return limits
}()

/// The bytes of a connection must be parsed into the same requests however they are split, and be consumed in order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let whole = ParsedRequests(bytes, parts: [], limits: limits)
  // The parts depend only on the bytes, so that a finding can be reproduced.
  var generator = SplitMix64(bytes)
  let parts = (0..<64).map { _ in Int(generator.next() % 16) }
  check(ParsedRequests(bytes, parts: parts, limits: limits) == whole, "other requests when cut into \(parts)")
  let single = [Int](repeating: 1, count: bytes.count)
  check(ParsedRequests(bytes, parts: single, limits: limits) == whole, "other requests byte by byte")
  return 0
}
