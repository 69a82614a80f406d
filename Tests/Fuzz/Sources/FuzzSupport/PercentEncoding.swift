/// Returns a target as a browser would encode it, so that inputs stay readable and mutations are meaningful.
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

/// Returns a name with every character escaped that could have a meaning in a URL.
public func percentEncoded(_ name: String) -> String {
  name.utf8.map { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(Unicode.Scalar(byte))
    default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }.joined()
}
