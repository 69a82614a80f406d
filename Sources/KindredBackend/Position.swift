/// How far the changes have come that a database shows, in an order that its copies share: a log sequence number of
/// PostgreSQL (<https://www.postgresql.org/docs/current/datatype-pg-lsn.html>).
public struct Position: Hashable, Comparable, Sendable {
  /// The number of bytes of the log up to here.
  public let number: UInt64

  /// Creates a position in the log.
  public init(number: UInt64) { self.number = number }

  /// Creates the position that a text such as `16/B374D848` names; nil for other texts.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    var number: UInt64 = 0
    for part in parts {
      guard 1...8 ~= part.count else { return nil }
      var half: UInt64 = 0
      for byte in part {
        guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
        half = half << 4 | UInt64(digit)
      }
      number = number << 32 | half
    }
    self.number = number
  }

  /// Compares two positions of one log.
  public static func < (first: Position, second: Position) -> Bool { first.number < second.number }
}

extension Position: CustomStringConvertible {
  /// The text of PostgreSQL's type `pg_lsn`.
  public var description: String {
    let halves = [number >> 32, number & 0xFFFF_FFFF].map { String($0, radix: 16, uppercase: true) }
    return halves.joined(separator: "/")
  }
}
