import Dispatch
import KindredHTTP
import KindredPostgreSQL
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct WholeWriteTests {
  private let served: Served

  init() throws {
    served = try Served(
      contentsOf: [
        "CREATE TABLE worker (id int PRIMARY KEY, name text, boss_id int REFERENCES worker)",
        "CREATE TABLE word (code text PRIMARY KEY, next text NOT NULL REFERENCES word)",
        "CREATE TABLE team (id int PRIMARY KEY, lead_id int)",
        "CREATE TABLE member (id int PRIMARY KEY, team_id int NOT NULL REFERENCES team, buddy_id int REFERENCES member)",
        "ALTER TABLE team ADD FOREIGN KEY (lead_id) REFERENCES member",
        "CREATE TABLE page (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, hits int DEFAULT 1)",
        "INSERT INTO worker VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2)",
      ], isWritable: true)
  }

  @Test(arguments: [
    (
      "/words",
      #"[{"code":"a","next":"b"},{"code":"b","next":"c"},{"code":"c","next":"a"},{"code":"d","next":"a"}]"#
    ),
    ("/workers", #"[{"id":10,"boss_id":11},{"id":11,"boss_id":12,"name":"x"},{"id":12,"boss_id":3}]"#),
    ("/workers", #"[{"id":10,"boss_id":10},{"id":11,"boss_id":13},{"id":12},{"id":13,"boss_id":10}]"#),
  ])
  func `records of an array refer to one another in any order, in rings of required keys too`(
    target: String, content: String
  ) {
    let answer = served.send(.post, target, content)
    #expect(answer.hasPrefix("201 "), "\(answer)")
  }

  @Test
  func `lines that refer to later ones are held, and rings are written together`() {
    let lines = (10..<1500).map { "\($0),N,\($0 + 1 < 1500 ? $0 + 1 : 10)\n" }.joined()
    let answer = served.send(
      .post, "/workers", "id,name,boss_id\n" + lines, of: "text/csv")
    #expect(answer.hasPrefix("201"), "\(answer)")
    #expect(
      served.text("/workers?fields=n:count(),s:sum(boss_id)&filter=id>=10") == #"[{"n":1490,"s":1124205}]"#)
    let refused = served.send(
      .post, "/workers", "id,boss_id\n2000,2001\n2001,2000\n2002,3000\n", of: "text/csv")
    #expect(refused.hasPrefix("409") && refused.contains(#""line":4"#), "\(refused)")
  }

  @Test
  func `a tree refers to what is below it`() {
    let answer = served.send(
      .post, "/teams",
      #"[{"id":5,"lead_id":9,"members":[{"id":7,"buddy_id":9}]},{"id":6,"lead_id":7,"members":[{"id":9,"buddy_id":7}]}]"#
    )
    #expect(answer.hasPrefix(#"201 [{"id":5,"lead_id":9,"#), "\(answer)")
    #expect(served.text("/members?fields=id,buddy_id") == #"[{"id":7,"buddy_id":9},{"id":9,"buddy_id":7}]"#)
  }

  @Test
  func `a hierarchy is deleted as a whole`() {
    #expect(served.send(.delete, "/workers?filter=id%3C4", nil).hasPrefix("204"))
    #expect(served.text("/workers") == "[]")
  }

  @Test
  func `generated keys are imported as they are named, and a repeated key is changed in turn`() {
    #expect(served.send(.post, "/pages", "id,url\n7,/a\n9,/b\n", of: "text/csv").hasPrefix("201"))
    #expect(served.send(.post, "/pages", #"[{"id":11,"url":"/c"}]"#).hasPrefix("201"))
    let answer = served.send(
      .post, "/pages?onConflict=url", "url,hits\n/a,2\n/d,3\n/a,4\n/d,5\n/a,6\n", of: "text/csv",
      headers: ["Prefer": "resolution=merge-duplicates"])
    #expect(answer.hasPrefix("201"), "\(answer)")
    #expect(
      served.text("/pages?fields=url,hits&sort=url")
        == #"[{"url":"/a","hits":6},{"url":"/b","hits":1},{"url":"/c","hits":1},{"url":"/d","hits":5}]"#)
  }

  @Test
  func `increments of 32 clients at once are all kept`() throws {
    let served = served
    try served.run("INSERT INTO page (url, hits) VALUES ('/', 0)")
    DispatchQueue.concurrentPerform(iterations: 32) { client in
      for _ in 0..<(client < 8 ? 32 : 31) {
        // What conflicts with others again and again is refused, and not done.
        while true {
          let answer = served.send(.patch, "/pages/url=%2F?set=hits:hits%2B1", nil)
          guard answer.hasPrefix("503") else {
            #expect(answer.hasPrefix("200"), "\(answer)")
            break
          }
        }
      }
    }
    #expect(served.text("/pages?fields=hits") == #"[{"hits":1000}]"#)
  }

  @Test(.enabled(if: Cluster.isPrivate))
  func `lines of one key take round trips by their number`() throws {
    let name = try #require(
      try PostgreSQLConnection(served.target).rows("SELECT current_database()")[0][0])
    let tap = try WireTap(name)
    defer { tap.close() }
    let tapped = try served.through(tap.target)
    func roundTrips(_ lines: Int) -> Int {
      let content = (1...lines).map { #"{"url":"/","hits":\#($0)}"# }.joined(separator: "\n")
      let answer = tapped.send(
        .post, "/pages?onConflict=url", content, of: "application/x-ndjson",
        headers: ["Prefer": "resolution=merge-duplicates"])
      #expect(answer.hasPrefix("20"), "\(answer)")
      #expect(tapped.text("/pages?fields=url,hits") == #"[{"url":"/","hits":\#(lines)}]"#)
      return tap.takeRoundTrips()
    }
    _ = roundTrips(1)
    let (few, many) = (roundTrips(500), roundTrips(2000))
    #expect(few > 0 && many <= 5 * few && many < 200, "\(few) for 500 lines, \(many) for 2,000")
  }
}
