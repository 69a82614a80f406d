import KindredBackend
import KindredPostgreSQL
import Testing

@testable import KindredPostgreSQLBackend

struct ReplicationTests {
  @Test(arguments: ["1-0/0", "3-16/B374D848", "4294967295-FFFFFFFF/FFFFFFFF", "10-1/0"])
  func `a position is written as PostgreSQL writes it`(text: String) throws {
    #expect(try #require(Position(text)).description == text)
  }

  @Test(arguments: [
    "", "1", "1-1", "1-1/", "1-/1", "1-1/2/3", "1-0/G", "1-+1/2", "1-1/-2", "1-123456789/0", "1-1/ 2",
    "1-٣/1",
    "16/B374D848", "-1/2", "+1-1/2", "A-1/2", "4294967296-1/2", "1-1-1/2",
  ])
  func `other texts are no positions`(text: String) {
    #expect(Position(text) == nil)
  }

  @Test(arguments: [
    ("1-0/9", "1-0/9", true), ("1-0/A", "1-0/9", true), ("1-0/9", "1-0/10", false), ("1-10/0", "1-A/0", true),
    // What the earlier timeline had beyond this is lost.
    ("2-0/A", "1-0/9", true), ("2-0/9", "1-0/A", false), ("1-0/A", "2-0/9", false),
  ])
  func `a database shows a position on its timeline or an earlier one`(
    one: String, other: String, shows: Bool
  )
    throws
  {
    #expect(try #require(Position(one)).shows(#require(Position(other))) == shows)
  }

  @Test
  func `a position behind the header of a page is that of the page, where standbys are`() {
    #expect(Position(ofServer: "1-0/3002018")?.description == "1-0/3002000")
    #expect(Position(ofServer: "1-0/3000028")?.description == "1-0/3000000")
    #expect(Position(ofServer: "1-0/3002028")?.description == "1-0/3002028")
    #expect(Position(ofServer: "1-0/3002020")?.description == "1-0/3002020")
  }

  @Test
  func `a copy is behind by the time since the database had more`() {
    var history = ReplicationHistory()
    for (position, time) in [(100, 1), (200, 2), (300, 3), (300, 4)] as [(UInt64, UInt64)] {
      history.note(Position(timeline: 1, number: position), at: time)
    }
    #expect(history.lag(of: Position(timeline: 1, number: 300), at: 10) == 0)
    #expect(history.lag(of: Position(timeline: 1, number: 299), at: 10) == 7)
    #expect(history.lag(of: Position(timeline: 1, number: 150), at: 10) == 8)
    history.forget(before: Position(timeline: 1, number: 200))
    #expect(history.lag(of: Position(timeline: 1, number: 200), at: 10) == 7)
    // Another server, whose log is shorter.
    history.note(Position(timeline: 2, number: 250), at: 11)
    #expect(history.lag(of: Position(timeline: 1, number: 300), at: 12) == 0)
  }

  @Test
  func `a copy is of the server's system and on its timeline`() {
    let server = ServerIdentity(system: "7", timeline: 2, isStandby: false)
    func fault(_ system: String?, _ timeline: UInt32?) -> String? {
      PostgreSQLReplicas.fault(
        of: ServerIdentity(system: system, timeline: timeline, isStandby: true), of: server)
    }
    #expect(fault("7", 2) == nil)
    #expect(fault(nil, 2) == nil, "the identifier is unknown where its function may not be called")
    #expect(fault("8", 2)?.contains("another system") ?? false)
    #expect(fault("7", 1)?.contains("timeline 1") ?? false)
    #expect(fault("7", 3)?.contains("timeline 3") ?? false)
    #expect(fault("7", nil)?.contains("timeline can't be read") ?? false)
  }

  @Test
  func `a long history stays small`() {
    var history = ReplicationHistory()
    for number in 1...100_000 as ClosedRange<UInt64> {
      history.note(Position(timeline: 1, number: number), at: number)
    }
    #expect(history.count < 3000)
    #expect(history.lag(of: Position(timeline: 1, number: 0), at: 100_000) > 99_000)
  }
}
