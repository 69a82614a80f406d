import KindredModel
import KindredRequests

/// The field that makes a browser save a response (RFC 6266).
enum ContentDisposition {
  /// Returns the value of the field.
  ///
  /// - Parameter name: The name of the file; one with other than plain ASCII characters is repeated as `filename*` (RFC
  ///   8187).
  static func attachment(named name: String) -> String {
    let plain = String(
      name.unicodeScalars.map { scalar in
        let isPlain =
          scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F
          && !"\"\\/%".unicodeScalars.contains(scalar)
        return Character(isPlain ? scalar : "_")
      })
    let field = "attachment; filename=\"\(plain)\""
    return plain == name ? field : "\(field); filename*=UTF-8''\(URLCoding.encodeSegment(name))"
  }
}

extension MediaType {
  /// Returns the value of `Content-Disposition` for a file of records.
  func attachment(named name: String) -> String {
    let type = self == .markedCSV ? .csv : self
    let format = Self.formats.first { $0.value == type }?.key ?? "txt"
    return ContentDisposition.attachment(named: "\(name).\(format)")
  }
}
