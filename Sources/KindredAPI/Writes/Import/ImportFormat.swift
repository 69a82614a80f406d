/// The formats of content that holds any number of records, one after the other.
enum ImportFormat: Sendable {
  /// RFC 4180, with a header.
  case csv
  /// A JSON object on each line.
  case jsonLines

  /// The format of a media type in lower case; nil where it is none of them.
  init?(mediaType: String) {
    switch mediaType {
    case MediaType.csv.rawValue: self = .csv
    case MediaType.lines.rawValue, MediaType.jsonLines.rawValue: self = .jsonLines
    default: return nil
    }
  }

  /// The media types of all formats.
  static let mediaTypes: [String] = [
    MediaType.csv.rawValue, MediaType.lines.rawValue, MediaType.jsonLines.rawValue,
  ]
}
