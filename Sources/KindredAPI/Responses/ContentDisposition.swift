/// The field that has a browser save an answer (RFC 6266).
enum ContentDisposition {
  /// - Parameter name: of the file; whatever ASCII can't say goes into `filename*` (RFC 8187).
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
  /// The field for a file of records.
  func attachment(named name: String) -> String {
    let format = Self.formats.first { $0.value == self }?.key ?? "txt"
    return ContentDisposition.attachment(named: "\(name).\(format)")
  }
}
