/// The formats of content with any number of records.
package enum ImportFormat: Sendable {
  /// RFC 4180, with a header.
  case csv
  /// A JSON object on each line.
  case jsonLines

  /// Creates the format of a media type in lower case; returns nil for other types.
  package init?(mediaType: String) {
    switch mediaType {
    case MediaType.csv.rawValue: self = .csv
    case MediaType.lines.rawValue, MediaType.jsonLines.rawValue: self = .jsonLines
    default: return nil
    }
  }

  /// The media types of all formats.
  package static let mediaTypes: [String] = [
    MediaType.csv.rawValue, MediaType.lines.rawValue, MediaType.jsonLines.rawValue,
  ]
}
