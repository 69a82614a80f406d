/// How far the changes have come that a database shows, in an order that its copies share: the timeline of PostgreSQL's log,
/// which begins anew with each promotion, and a log sequence number
/// (<https://www.postgresql.org/docs/current/datatype-pg-lsn.html>).
public struct Position: Hashable, Sendable {
  /// The number of the timeline.
  public let timeline: UInt32
  /// The number of bytes of the log up to here.
  public let number: UInt64

  /// Creates a position in the log.
  public init(timeline: UInt32, number: UInt64) { (self.timeline, self.number) = (timeline, number) }

  /// Creates the position that a text such as `3-16/B374D848` names; nil for other texts.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, 1...10 ~= parts[0].count, parts[0].allSatisfy({ Self.digits.contains($0) }),
      let timeline = UInt32(String(decoding: parts[0], as: UTF8.self))
    else { return nil }
    let halves = parts[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    var number: UInt64 = 0
    for part in halves {
      guard 1...8 ~= part.count else { return nil }
      var half: UInt64 = 0
      for byte in part {
        guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
        half = half << 4 | UInt64(digit)
      }
      number = number << 32 | half
    }
    self.init(timeline: timeline, number: number)
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// Returns whether a database that shows this position shows all that one at another position showed, as far as that has
  /// not been lost: what a later timeline has left out exists no more.
  public func shows(_ other: Position) -> Bool { timeline >= other.timeline && number >= other.number }
}

extension Position: CustomStringConvertible {
  /// The timeline and the text of PostgreSQL's type `pg_lsn`.
  public var description: String {
    let halves = [number >> 32, number & 0xFFFF_FFFF].map { String($0, radix: 16, uppercase: true) }
    return "\(timeline)-\(halves.joined(separator: "/"))"
  }
}
