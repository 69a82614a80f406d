import Kindred
import Testing

private typealias Player = Club.Player
private typealias Citizenship = Club.Citizenship
private typealias Country = Club.Country
private typealias Text = Club.Text

@Suite("Filters, order and limits")
struct TableFilterTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try Club.make()
  }

  // MARK: Filters

  @Test
  func `S282, S288, S289: filter by an expression, by SQL, by a literal`() throws {
    #expect(try queue.names(Player.filter(Column("email") == "arthur@example.com")) == ["Arthur"])
    #expect(try queue.names(Player.filter(sql: "email = ?", arguments: ["arthur@example.com"])) == ["Arthur"])
    #expect(
      try queue.names(Player.filter(sql: "email = :email", arguments: ["email": "craig@example.com"])) == [
        "Craig"
      ])
    let literal = SQLLiteral(sql: "email = ?", arguments: ["arthur@example.com"])
    #expect(try queue.names(Player.filter(literal: literal)) == ["Arthur"])
    #expect(try queue.names(Player.filter(Column("email") == nil)) == ["Barbara"])
    #expect(try queue.names(Player.filter(Column("email") != nil).filter(Column("score") > 200)) == ["Craig"])
    #expect(
      try queue.names(Player.filter([100, 500].contains(Column("score")) && Column("id") != 1)) == ["Craig"])
  }

  @Test
  func `S290: what is interpolated in a literal is bound, and never becomes SQL`() throws {
    try queue.expect(
      Player.select(Column("id")).filter(literal: "name = \("' OR 1 --") OR score = \(500)"),
      sql: """
        SELECT "player"."id" FROM "player" WHERE (name = ''' OR 1 --' OR score = 500)
        """,
      rows: "[id:3]")
    let name = "O'Brien' OR 1 --"
    #expect(try queue.names(Player.filter(literal: "name = \(name)")) == [])
    #expect(
      try queue.names(Player.filter(literal: "name = \("Craig") AND \(Column("score")) = \(500)")) == [
        "Craig"
      ])
    #expect(
      try queue.names(Player.filter(sql: "name <> '?' AND /* ? */ score = ?", arguments: [500])) == ["Craig"])
  }

  @Test
  func `S332: filter by a closure about columns`() throws {
    #expect(try queue.names(Player.filter { $0.name == "Craig" }) == ["Craig"])
    #expect(try queue.names(Player.all().filter { $0.score >= 500 && $0.email != nil }) == ["Craig"])
  }

  @Test
  func `S299, S300: matching searches the full-text index; nil matches nothing`() throws {
    try queue.expect(
      Text.matching(FTS3Pattern(rawPattern: "whale")),
      sql: """
        SELECT "text"."title" FROM "text" WHERE ("text"."text" MATCH 'whale')
        """,
      rows: #"[title:"the white whale"]"#)
    try queue.read { db throws in
      #expect(
        try Text.matching(FTS3Pattern(rawPattern: "whale")).fetchAll(db).map(\.title) == ["the white whale"])
      #expect(try Text.matching(FTS3Pattern(matchingAllTokensIn: "sea black")).fetchCount(db) == 1)
      #expect(try Text.matching(nil).fetchCount(db) == 0)
    }
  }

  // MARK: Order and limits

  @Test
  func `S291, S293, S294, S346: order by columns, by SQL, by a literal`() throws {
    #expect(try queue.names(Player.order(Column("score").desc)) == ["Barbara", "Craig", "Arthur"])
    #expect(try queue.names(Player.order([Column("score")])) == ["Arthur", "Craig", "Barbara"])
    #expect(try queue.names(Player.order(sql: "score DESC")) == ["Barbara", "Craig", "Arthur"])
    #expect(try queue.names(Player.order(sql: "score % ?, name", arguments: [2]).reversed()).first == "Craig")
    #expect(try queue.names(Player.order(literal: "score")) == ["Arthur", "Craig", "Barbara"])
    #expect(try queue.names(Player.order(literal: SQLLiteral(sql: "score")).reversed()).first == "Barbara")
  }

  @Test
  func `SQL is read by its bytes: line ends of two, accents behind quotes, comments between others`() throws {
    #expect(
      try queue.names(Player.order(sql: "score -- best\r\nDESC").reversed()) == [
        "Arthur", "Craig", "Barbara",
      ])
    #expect(
      try queue.names(Player.filter(sql: "score > 0 -- x\r\nAND name = ?", arguments: ["Craig"])) == ["Craig"]
    )
    #expect(
      try queue.names(Player.filter(sql: "name <> '\u{301}?' AND name = ?", arguments: ["Craig"])) == [
        "Craig"
      ])
    for comment in ["-- x", "/* x"] {
      let scored = SQLLiteral(sql: "score > 0 \(comment)")
      #expect(
        try queue.names(Player.filter(literal: "\(literal: scored) AND name = \("Craig")")) == ["Craig"])
    }
  }

  @Test
  func `S333, S334: order and select by key paths`() throws {
    #expect(try queue.names(Player.all().order(\.score.desc)) == ["Barbara", "Craig", "Arthur"])
    #expect(try queue.columns(Player.all().select(\.name)) == ["name"])
  }

  @Test
  func `S292: orderByPrimaryKey uses the table's own key`() throws {
    try queue.expect(
      Country.orderByPrimaryKey(),
      sql: """
        SELECT "country"."code", "country"."name" FROM "country" ORDER BY "country"."code"
        """,
      rows: """
        [code:"FR", name:"France"]
        [code:"US", name:"States"]
        """)
    try queue.expect(
      Citizenship.orderByPrimaryKey(),
      sql: """
        SELECT "citizenship"."citizenId", "citizenship"."countryId", "citizenship"."note"
          FROM "citizenship" ORDER BY "citizenship"."citizenId", "citizenship"."countryId"
        """,
      rows: """
        [citizenId:12, countryId:45, note:"yes"]
        [citizenId:12, countryId:46, note:NULL]
        """)
    try queue.read { db throws in
      #expect(try Player.orderByPrimaryKey().fetchAll(db).map(\.id) == [1, 2, 3])
      #expect(try Country.orderByPrimaryKey().fetchAll(db).map(\.code) == ["FR", "US"])
      #expect(try Citizenship.orderByPrimaryKey().reversed().fetchAll(db).map(\.countryId) == [46, 45])
    }
  }

  @Test
  func `S295: limit and offset`() throws {
    try queue.expect(
      Player.select(Column("name")).order(Column("id")).limit(1, offset: 2),
      sql: """
        SELECT "player"."name" FROM "player" ORDER BY "player"."id" LIMIT 1 OFFSET 2
        """,
      rows: #"[name:"Craig"]"#)
    #expect(try queue.names(Player.order(Column("id")).limit(1)) == ["Arthur"])
    #expect(try queue.names(Player.order(Column("id")).limit(1, offset: 1)) == ["Barbara"])
    #expect(try queue.names(Player.limit(0)) == [])
  }

  // MARK: Ranges

  @Test
  func `a range compares with its bounds, whatever numbers are between its elements`() throws {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql:
          "CREATE TABLE mark (score, name); INSERT INTO mark VALUES (1, 'a'), (1.5, 'b'), (9, 'c'), (20, 'd')"
      )
      let score = Column("score")
      func names(_ condition: SQLExpression) throws -> [String] {
        try Table("mark").filter(condition).select(Column("name"), as: String.self).order(score).fetchAll(db)
      }
      #expect(try names((1..<9).contains(score)) == ["a", "b"])
      #expect(try names((1...9).contains(score)) == ["a", "b", "c"])
      #expect(try names((2...).contains(score)) == ["c", "d"])
      #expect(try names((..<9).contains(score)) == ["a", "b"])
      #expect(try names((...9).contains(score)) == ["a", "b", "c"])
      #expect(try names((1.25..<20).contains(score)) == ["b", "c"])
      #expect(try names(("b"..<"d").contains(Column("name"))) == ["b", "c"])
      #expect(try names((0..<300_000).contains(score)).count == 4)
      let (statement, _) = try Table("mark").filter((0..<300_000).contains(score)).prepare(db)
      #expect(statement.sql.hasSuffix(#"WHERE "mark"."score" >= ?1 AND "mark"."score" < ?2"#))
    }
  }
}
