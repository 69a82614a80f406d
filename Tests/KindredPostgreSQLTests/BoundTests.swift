import Foundation
import KindredAPI
import KindredHTTP
import KindredPostgreSQL
import Testing

/// What PostgreSQL can't interrupt is bounded before it begins, and what may take long can be interrupted.
@Suite("Bounds of expressions on PostgreSQL", .enabled(if: Cluster.isAvailable))
struct BoundTests {
  /// A text of a million letters, which the expression makes of a few.
  private static let million = nested(4, "a", by: 31)

  private static func nested(_ depth: Int, _ text: String, by count: Int) -> String {
    (0..<depth).reduce("'\(text)'") { inner, _ in
      "replace(\(inner),'a','\(String(repeating: "a", count: count))')"
    }
  }

  private let served: Served

  init() throws { served = try Self.serving(queryTime: 120) }

  private static func serving(queryTime: Double) throws -> Served {
    try Served(
      contentsOf: [
        "CREATE TABLE note (id int PRIMARY KEY, body text, pattern text)",
        "INSERT INTO note VALUES (1, repeat('a', 16 << 20), '%' || repeat('a', 999) || 'b')",
      ], configure: { $0.queryTime = queryTime })
  }

  /// Waits until the server executes no other statement, but not until what it should have cancelled has ended by itself.
  private func isIdle(_ served: Served) throws -> Bool {
    for _ in 0..<300 {
      if try running(for: served) == 0 { return true }
      Thread.sleep(forTimeInterval: 0.1)
    }
    return false
  }

  /// The number of statements that the server is computing for others.
  private func running(for served: Served) throws -> Int {
    let rows = try PostgreSQLConnection(served.target).rows(
      "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()"
    )
    return rows.first?.first?.flatMap { Int($0) } ?? -1
  }

  @Test(arguments: [
    "filter=length(\(nested(8, "aa", by: 30)))>0", "fields=v:\(million)||\(million)||\(million)",
    "filter=body||'x'>''", "fields=v:replace(body,'aa','aaa')",
    "fields=a:\(million),b:a||a,c:b||b",
    "filter=instr(\(million),'\(String(repeating: "a", count: 999))b')>0", "filter=instr(body,pattern)>0",
    "filter=trim(\(million),'\(String(repeating: "b", count: 500))a')=''", "filter=body like pattern",
    "filter=replace(body,'\(String(repeating: "a", count: 99))b','')=''",
  ])
  func `a call that would make too long a text, or take too many steps, is the client's error`(
    query: String
  ) throws {
    let answer = served.text("/notes?\(query)")
    #expect(answer.hasPrefix("400") && answer.contains("that is too long"), "\(answer.prefix(300))")
    #expect(try isIdle(served))
  }

  @Test(arguments: [
    "fields=c:concat(body)", "fields=c:concat(body,'')&group=id>0", "annotate=c:notesByNote.concat(body)",
  ])
  func `texts of many records are not concatenated to one that is too long to be held`(query: String) throws {
    let served = try Served(
      contentsOf: [
        "CREATE TABLE note (id int PRIMARY KEY, note int REFERENCES note, body text)",
        "INSERT INTO note SELECT n, 1, repeat('a', 1 << 20) FROM generate_series(1, 17) AS n",
      ])
    let answer = served.text("/notes?\(query)")
    #expect(answer.hasPrefix("400") && answer.contains("that is too long"), "\(answer.prefix(300))")
    #expect(served.text("/notes?fields=n:length(concat(body))&filter=id<3") == #"[{"n":2097153}]"#)
  }

  @Test(arguments: [
    "filter=body like '%25\(String(repeating: "a", count: 999))b'",
    "filter=body not like '%25a%25a%25a%25b' and body glob '*a*a*a*c'",
    "fields=v:length(\(million))", "fields=v:length(replace(body,'a',''))", "fields=v:length(upper(body))",
  ])
  func `what takes a time proportional to a text is computed, however long that is`(query: String) throws {
    #expect(served.get("/notes?\(query)").status == .ok)
  }

  @Test
  func `what takes longer than a request may doesn't run on afterwards`() throws {
    let rest = String(repeating: "b", count: 250)
    let calls = (0..<12).map { "b\($0):length(trim(\(Self.million),'\(rest)\($0)a'))" }
    let served = try Self.serving(queryTime: 2)
    #expect(served.text("/notes?fields=\(calls.joined(separator: ","))").hasPrefix("503"))
    #expect(try isIdle(served))
  }

  @Test
  func `concatenations, replacements and aggregates of groups are what they are without bounds`() throws {
    let short = try Served(
      "CREATE TABLE book (id int PRIMARY KEY, kind text, title text)",
      "INSERT INTO book VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, NULL, 'z')")
    let long = "kind||'-'||count()||'-'||concat(title)||upper(kind)||max(title)||lower(kind)||'-'||kind"
    #expect(
      short.text("/books?fields=v:\(long)&group=kind&sort=kind:nullslast")
        == #"[{"v":"a-2-x,yAya-a"},{"v":null}]"#)
    #expect(
      short.text("/books?fields=v:replace(replace(title||title||title,'x','yy'),'yyyy','!')&sort=id")
        == #"[{"v":"!yy"},{"v":"yyy"},{"v":"zzz"}]"#)
    #expect(
      short.text(
        "/books?fields=k:upper(kind)||title||lower(kind)||title,n:count()&group=upper(kind)||title||lower(kind)||title&sort=k"
      )
        == #"[{"k":null,"n":1},{"k":"Axax","n":1},{"k":"Ayay","n":1}]"#)
  }
}
