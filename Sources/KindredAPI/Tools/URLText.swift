/// Writes names in the readable form of a URL: only characters that would end or change them are escaped.
enum URLText {
  /// - Parameter isKey: Whether commas and `=` are separators, so that they must be escaped too.
  static func segment(_ name: String, isKey: Bool = false) -> String {
    escape(name, isKey ? "%/?#,=" : "%/?#")
  }

  static func parameterName(_ name: String) -> String { escape(name, "%&+#=") }

  static func value(_ text: String) -> String { escape(text, "%&+#") }

  private static func escape(_ text: String, _ escaped: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F || escaped.utf8.contains(byte) {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
