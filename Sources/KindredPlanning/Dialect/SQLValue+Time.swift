import KindredSQLSyntax

extension SQLValue {
  /// Whether it is a text that PostgreSQL may read as the current time or day, such as `now` or `tomorrow`
  /// (<https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-DATETIME-SPECIAL-TABLE>).
  package var mayNameTime: Bool {
    // Each of these words has one of two letters.
    guard case .text(let text) = self,
      text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "o") || $0 | 0x20 == UInt8(ascii: "y") })
    else { return false }
    return text.lowercased().split { !$0.isLetter }.contains(where: Self.wordsOfTime.contains)
  }

  private static let wordsOfTime: Set<Substring> = ["now", "today", "tomorrow", "yesterday"]
}
