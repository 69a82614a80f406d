/// A target as a browser would send it, so that the inputs stay readable and the mutations mean something.
func percentEncoded(_ bytes: some Sequence<UInt8>) -> String {
  var text = ""
  for byte in bytes {
    if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}#".utf8.contains(byte) {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return text
}

/// A name as a part of a URL that stands for nothing but itself.
public func percentEncoded(_ name: String) -> String {
  name.utf8.map { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(Unicode.Scalar(byte))
    default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }.joined()
}
