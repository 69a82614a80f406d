/// Decodes records from rows outside a fetch, by their `init(from:)`.
///
///     init(row: Row) throws {
///       self = try FetchableRecordDecoder().decode(Player.self, from: row)
///       isFavorite = row["isFavorite"]
///     }
public struct FetchableRecordDecoder: Sendable {
  /// Creates a decoder.
  public init() {}

  /// Returns the record of a row, decoded by its `init(from:)` even if it also declares `init(row:)`.
  ///
  /// - Throws: `RowDecodingError`, or the error that decoding throws.
  public func decode<Record: FetchableRecord & Decodable>(
    _ type: Record.Type = Record.self, from row: Row
  ) throws -> Record { try Record(decoding: row) }
}
