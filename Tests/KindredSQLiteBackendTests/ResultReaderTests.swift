import KindredSQLSyntax
import KindredSQLite
import Testing

@testable import KindredModel
@testable import KindredPlanning
@testable import KindredSQLiteBackend
@testable import KindredOutput

@Suite("Plans made by hand run on SQLite")
struct ResultReaderTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER, title TEXT, sequelId INTEGER);
      CREATE INDEX book_on_authorId ON book(authorId);
      INSERT INTO author VALUES (1, 'Melville'), (2, NULL), (3, 'Zola');
      INSERT INTO book VALUES (1, 1, 'Typee', 2), (2, 1, 'Omoo', 3), (3, 3, 'Nana', 1), (4, 9, 'Lost', NULL);
      """)
  }

  private static func object(_ members: (String, RecordShape)...) -> RecordShape {
    .object(members.map { RecordShape.Member(name: $0, shape: $1, isRepetition: $0 == "sequel") })
  }

  private static func node(
    _ sql: SQL, _ shape: RecordShape, isToMany: Bool = true, level: Int = 0,
    recursion: Plan.Recursion? = nil, mergeJoin: Plan.MergeJoin? = nil
  ) -> Plan.Node {
    Plan.Node(
      statement: Plan.Statement(sql), shape: shape, isToMany: isToMany, level: level, recursion: recursion,
      mergeJoin: mergeJoin, name: "")
  }

  private static func plan(_ nodes: Plan.Node...) -> Plan {
    var plan = Plan()
    plan.nodes = nodes
    return plan
  }

  private static let authors = node(
    "SELECT id, name FROM author ORDER BY id",
    object(("name", .value(column: 1, .plain)), ("books", .child(node: 1))))

  /// Returns the whole result, and the cursor of the page's last record.
  private func run(
    _ plan: Plan, limit: Int? = nil, literals: [SQLValue] = [], format: ResultFormat = .json
  ) throws -> (text: String, hasMore: Bool) {
    let reader = ResultReader(
      try ExecutablePlan(plan, format: format), on: connection, parameters: Parameters(literals: literals),
      limit: limit)
    defer { reader.close() }
    try reader.start(isRepeated: false)
    var bytes: [UInt8] = []
    while let part = try reader.next() { bytes += part }
    return (String(decoding: bytes, as: UTF8.self), reader.hasMore)
  }

  @Test
  func `a child's statement runs once for each row, with the values that it reads from above`() throws {
    let plan = Self.plan(
      Self.authors,
      Self.node(
        "SELECT title FROM book WHERE authorId = \(.ancestor(level: 1, column: 0)) ORDER BY title",
        .value(column: 0, .plain), level: 1))
    #expect(
      try run(plan).text
        == #"[{"name":"Melville","books":["Omoo","Typee"]},{"name":null,"books":[]},{"name":"Zola","books":["Nana"]}]"#
    )
    #expect(try run(plan, limit: 1) == (#"[{"name":"Melville","books":["Omoo","Typee"]}]"#, true))
    #expect(try run(plan, limit: 3).hasMore == false)
    #expect(
      try run(plan, format: .lines).text.hasPrefix(
        "{\"name\":\"Melville\",\"books\":[\"Omoo\",\"Typee\"]}\n{"))
  }

  @Test
  func `a merge-joined statement runs once beside its parents', and skips rows without a parent`() throws {
    let plan = Self.plan(
      Self.authors,
      Self.node(
        "SELECT title, authorId FROM book WHERE authorId >= \(.ancestor(level: 1, column: 0)) ORDER BY authorId, id",
        .value(column: 0, .plain), level: 1, mergeJoin: Plan.MergeJoin(column: 1, above: 0)))
    #expect(
      try run(plan).text
        == #"[{"name":"Melville","books":["Typee","Omoo"]},{"name":null,"books":[]},{"name":"Zola","books":["Nana"]}]"#
    )
  }

  @Test
  func `a recursive node repeats as often as it may, without records that are their own ancestors`() throws {
    let shape = Self.object(("title", .value(column: 1, .plain)), ("sequel", .child(node: 1)))
    func plan(levels: Int) -> Plan {
      Self.plan(
        Self.node("SELECT id, title, sequelId FROM book WHERE id = 1", shape),
        Self.node(
          "SELECT id, title, sequelId FROM book WHERE id = \(.ancestor(level: 1, column: 2)) LIMIT 1", shape,
          isToMany: false, level: 1,
          recursion: Plan.Recursion(levels: levels, identity: [0], baseIdentity: [0], repetition: 1)))
    }
    #expect(try run(plan(levels: 1)).text == #"[{"title":"Typee","sequel":{"title":"Omoo"}}]"#)
    #expect(
      try run(plan(levels: 5)).text
        == #"[{"title":"Typee","sequel":{"title":"Omoo","sequel":{"title":"Nana","sequel":null}}}]"#)
  }

  @Test
  func `what is optional is null where its column is NULL, and literals are bound`() throws {
    let plan = Self.plan(
      Self.node(
        "SELECT id, name FROM author WHERE id > \(.parameter(0)) ORDER BY id",
        Self.object(("label", .optional(column: 1, Self.object(("name", .value(column: 1, .plain))))))))
    #expect(try run(plan, literals: [.integer(1)]).text == #"[{"label":null},{"label":{"name":"Zola"}}]"#)
  }

  @Test
  func `a single record that doesn't exist is an error, as is a record of the path`() throws {
    var plan = Self.plan(
      Self.node("SELECT name FROM author WHERE id = 9", .value(column: 0, .plain), isToMany: false))
    (plan.isSingle, plan.absence) = (true, "no author")
    let missing = #expect(throws: RequestError.self) { try run(plan) }
    #expect(missing?.message == "no author")
    plan.path = [Plan.Step(statement: Plan.Statement("SELECT 1 WHERE 0"), absence: "no path")]
    let lost = #expect(throws: RequestError.self) { try run(plan) }
    #expect(lost?.message == "no path")
  }
}
