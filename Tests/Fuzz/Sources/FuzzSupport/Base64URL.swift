/// The bytes in base64url, without padding (RFC 7515 §2).
public func base64URL(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var text: [UInt8] = []
  var buffer: UInt32 = 0
  var bits: UInt32 = 0
  for byte in bytes {
    buffer = buffer << 8 | UInt32(byte)
    bits += 8
    while bits >= 6 {
      bits -= 6
      text.append(digits[Int(buffer >> bits & 63)])
    }
  }
  if bits > 0 { text.append(digits[Int(buffer << (6 - bits) & 63)]) }
  return String(decoding: text, as: UTF8.self)
}
