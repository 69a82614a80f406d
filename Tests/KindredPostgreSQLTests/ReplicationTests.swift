import KindredBackend
import Testing

@testable import KindredPostgreSQLBackend

struct ReplicationTests {
  @Test(arguments: ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF", "1/0"])
  func `a position is written as PostgreSQL writes it`(text: String) throws {
    #expect(try #require(Position(text)).description == text)
  }

  @Test(arguments: ["", "1", "1/", "/1", "1/2/3", "0/G", "+1/2", "1/-2", "123456789/0", "1/ 2", "٣/1"])
  func `other texts are no positions`(text: String) {
    #expect(Position(text) == nil)
  }

  @Test
  func `positions are ordered as numbers`() throws {
    let positions = try ["0/9", "0/A", "0/10", "1/0", "A/0", "10/0"].map { try #require(Position($0)) }
    #expect(positions == positions.sorted())
  }

  @Test
  func `a position behind the header of a page is that of the page, where standbys are`() {
    #expect(Position(ofServer: "0/3002018")?.description == "0/3002000")
    #expect(Position(ofServer: "0/3000028")?.description == "0/3000000")
    #expect(Position(ofServer: "0/3002028")?.description == "0/3002028")
    #expect(Position(ofServer: "0/3002020")?.description == "0/3002020")
  }

  @Test
  func `a copy is behind by the time since the database had more`() {
    var history = ReplicationHistory()
    for (position, time) in [(100, 1), (200, 2), (300, 3), (300, 4)] as [(UInt64, UInt64)] {
      history.note(Position(number: position), at: time)
    }
    #expect(history.lag(of: Position(number: 300), at: 10) == 0)
    #expect(history.lag(of: Position(number: 299), at: 10) == 7)
    #expect(history.lag(of: Position(number: 150), at: 10) == 8)
    history.forget(before: Position(number: 200))
    #expect(history.lag(of: Position(number: 200), at: 10) == 7)
    // Another server, whose log is shorter.
    history.note(Position(number: 50), at: 11)
    #expect(history.lag(of: Position(number: 300), at: 12) == 0)
  }

  @Test
  func `a long history stays small`() {
    var history = ReplicationHistory()
    for number in 1...100_000 as ClosedRange<UInt64> { history.note(Position(number: number), at: number) }
    #expect(history.count < 3000)
    #expect(history.lag(of: Position(number: 0), at: 100_000) > 99_000)
  }
}
