import Kindred
import Testing

/// Requests that once had another meaning than they express.
@Suite("What requests mean")
struct MeaningTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  private func rows(_ request: some FetchRequest) throws -> [String] {
    try read { db throws in
      try Row.fetchAll(db, request).map { row in
        ([row.description] + row.scopes.map { "\($0.name): \($0.row)" }).joined(separator: " ")
      }
    }
  }

  private func ids(_ request: QueryInterfaceRequest<Book>) throws -> [Int64] {
    try read { db in try request.fetchAll(db).map(\.id) }
  }

  // MARK: SQL of the program

  @Test
  func `S293, S294: the direction of an order follows parameters, NULLS FIRST, and any expression`() throws {
    #expect(try ids(Book.order(sql: "year * ? DESC", arguments: [2])) == [2, 3, 1, 4, 5])
    #expect(try ids(Book.order(sql: "year * ? DESC", arguments: [2]).reversed()) == [5, 4, 1, 3, 2])
    #expect(try ids(Book.order(literal: "year * \(-1) desc")) == [5, 4, 1, 3, 2])
    #expect(try ids(Book.order(sql: "price DESC NULLS FIRST, id")) == [2, 4, 5, 1, 3])
    #expect(try ids(Book.order(sql: "price NULLS  LAST, id DESC")) == [3, 1, 5, 4, 2])
    #expect(try ids(Book.order(sql: "price NULLS LAST, id DESC").reversed()) == [2, 4, 5, 1, 3])
    #expect(try ids(Book.order(sql: "title = 'a  DESC' /* , */ DESC, id -- DESC")) == [1, 2, 3, 4, 5])
    try read { db throws in
      let spaces = Author.select(Column("name")).order(sql: "name || '  b' = 'Hugo  b' DESC, id")
      #expect(try String.fetchAll(db, spaces) == ["Hugo", "Melville", "Sappho"])
    }
  }

  @Test
  func `numbered parameters have the values of their numbers, however often they stand there`() throws {
    #expect(try ids(Book.filter(sql: "id = ?2 AND year = ?1", arguments: [1851, 1])) == [1])
    #expect(
      try ids(Book.filter(sql: "id = ?1 OR id = ?1 + 1", arguments: [1]).order(Column("id"))) == [1, 2])
    #expect(try ids(Book.filter(sql: "id = ?2 AND year = ?", arguments: [0, 1, 1851])) == [1])
    #expect(try ids(Book.filter(sql: "id = :id AND :id = ?", arguments: ["id": 1] + [1])) == [1])
    for sql in ["id = ?", "id = ?0", "id = ?99999999999999999999", "id = ?3"] {
      #expect(throws: DatabaseError.self, "\(sql)") { try ids(Book.filter(sql: sql, arguments: [])) }
    }
    #expect(throws: DatabaseError.self) { try ids(Book.filter(sql: "id = ?1", arguments: [1, 2])) }
  }

  @Test
  func `what is wrong with a literal is wrong with those that it stands in`() {
    let wrong = SQLLiteral(sql: "id = ?", arguments: [])
    #expect(throws: DatabaseError.self) { try ids(Book.filter(literal: "\(literal: wrong) AND TRUE")) }
  }

  @Test
  func `a star with a name is the columns of that table`() throws {
    let author = TableAlias(name: "a")
    let moby = Book.filter(key: 1).joining(required: Book.author.aliased(author))
    #expect(try rows(moby.select(sql: "a.*")) == [#"[id:1, name:"Melville", country:"US", birthYear:1819]"#])
    #expect(
      try rows(moby.select(sql: #"book.year, "a" . *"#)) == [
        #"[year:1851, id:1, name:"Melville", country:"US", birthYear:1819]"#
      ])
    #expect(try rows(Award.filter(key: 1).select(sql: "*")) == [#"[id:1, bookId:1, name:"Whale"]"#])
    #expect(throws: DatabaseError.self) { try rows(moby.select(sql: "nobody.*")) }
    #expect(
      try rows(Award.filter(key: 1).select(Column("id")).annotated(with: AllColumns()))
        == [#"[id:1, id:1, bookId:1, name:"Whale"]"#])
  }

  @Test
  func `a star behind an interpolated table or literal is the columns of that table, too`() throws {
    let award = Award.filter(key: 1)
    let expected = [#"[id:1, bookId:1, name:"Whale"] book: [title:"Moby-Dick"]"#]
    let literals: [SQLLiteral] = ["\(Award.self).*", "\(sql: "award").*", "award.\(literal: "*")"]
    for literal in literals {
      #expect(
        try rows(award.select(literal: literal).including(required: Award.book.select(Column("title"))))
          == expected)
    }
  }

  @Test
  func `several columns of an annotation by SQL leave those behind it in their places`() throws {
    let request = Book.filter(key: 1).select(Column("title"))
      .annotated(withRequired: Book.author.select(sql: "name, country"))
      .including(optional: Book.coverImage)
    #expect(
      try rows(request) == [
        #"[title:"Moby-Dick", name:"Melville", country:"US"] coverImage: [id:1, bookId:1, path:"moby.png"]"#
      ])
  }

  @Test
  func `selectionSQL writes expressions out`() throws {
    struct Shout: TableRecord {
      static let databaseTableName = "author"
      static let databaseSelection: [any SQLSelectable] = [
        Column("id"), (Column("birthYear") + 1).forKey("next"), (Column("name") == "it's").forKey("is"),
      ]
    }
    #expect(
      Shout.selectionSQL(alias: "a")
        == #""a"."id", "a"."birthYear" + 1 AS "next", "a"."name" = 'it''s' AS "is""#)
    try read { db throws in
      let row = try Row.fetchOne(db, sql: "SELECT \(Shout.selectionSQL()) FROM author WHERE id = 1")
      #expect(row == ["id": 1, "next": 1820, "is": 0])
    }
  }

  // MARK: Counts, and single rows

  @Test
  func `there are as many rows as fetchCount says`() throws {
    try read { db throws in
      #expect(try Book.select(max(Column("year"))).fetchCount(db) == 1)
      #expect(try Book.all().fetchCount(db) == 5)
      #expect(try Book.select(length(Column("title"))).fetchCount(db) == 5)
      for end in [";", " ; ", "; -- the end", " -- the end", "; /* the end */"] {
        #expect(try SQLRequest<Row>(sql: "SELECT * FROM author" + end).fetchCount(db) == 3, "\(end)")
      }
    }
  }

  @Test
  func `fetchOne asks for one row`() throws {
    try read { db throws in
      let prepared = try Book.order(Column("year").desc).prepareRequest(db, isForSingleRow: true)
      #expect(prepared.statement.sql.hasSuffix("LIMIT ?1"))
      #expect(try Book.order(Column("year").desc).limit(0).fetchOne(db) == nil)
      #expect(try Book.order(Column("year").desc).limit(3, offset: 1).fetchOne(db)?.id == 3)
    }
  }

  // MARK: Orders

  @Test
  func `reversed is the opposite order, of what is joined too, and of no order none`() throws {
    let request = Book.select(Column("id")).filter(Column("id") < 5)
      .including(required: Book.author.select(Column("id")).order(Column("name")))
    #expect(try rows(request.reversed()).last == "[id:4] author: [id:2]")
    #expect(try read { db in try Book.all().reversed().prepare(db).0.sql.contains("ORDER BY") } == false)
  }

  // MARK: Associations

  @Test
  func `an aggregate of a limited, distinct or grouped association is an error`() throws {
    let books = Author.books.order(Column("year").desc)
    for request in [
      Author.annotated(with: books.limit(2).sum(Column("price"))), Author.having(books.distinct().count > 1),
      Author.annotated(with: books.group(Column("kind")).count),
    ] {
      #expect(throws: AssociationError.onlyForCollections) { try rows(request) }
    }
    #expect(
      try read { db in try Author.having(books.having(Book.awards.count > 0).count > 0).fetchCount(db) } == 2)
  }

  @Test
  func `collections of one key through pivots of different keys are an error`() throws {
    let novels = Author.hasMany(
      Award.self, through: Author.books.filter(Column("kind") == "novel").forKey("novels"), using: Book.awards
    )
    let plays = Author.hasMany(
      Award.self, through: Author.books.filter(Column("kind") == "theatrePlay").forKey("plays"),
      using: Book.awards)
    #expect(throws: AssociationError.ambiguousKey("awards")) {
      try rows(Author.including(all: novels).including(all: plays))
    }
    #expect(
      try read { db throws in
        try Row.fetchAll(
          db, Author.including(all: novels).including(all: plays.forKey("others")).order(Column("id"))
        )
        .map { [$0.prefetchedRows["awards"]?.count, $0.prefetchedRows["others"]?.count] }
      } == [[2, 0], [0, 1], [0, 0]])
  }

  @Test
  func `a record that is only on the way to a collection is no scope of the row`() throws {
    try read { db throws in
      let row = try Row.fetchOne(
        db, Book.filter(key: 1).joining(optional: Book.author.including(all: Author.paintings)))
      #expect(row?.scopes.count == 0)
      #expect(row?.prefetchedRows["paintings"] == [])
    }
  }

  // MARK: Conditions

  @Test
  func `conditions are joined however many there are, and nested only so deep`() throws {
    let titles = (0..<3000).map { "\($0)" } + ["Clarel"]
    let any = titles.dropFirst().reduce(Column("title") == titles[0]) { $0 || Column("title") == $1 }
    #expect(try ids(Book.filter(any)) == [3])
    #expect(try ids(Book.filter(titles.map { Column("title") != $0 }.joined(operator: .and))).count == 4)
    #expect(try ids(Book.filter([SQLExpression]().joined(operator: .and))).count == 5)
    #expect(try ids(Book.filter([SQLExpression]().joined(operator: .or))).isEmpty)
    let deep = (0..<100_000).reduce(Column("id").sqlExpression) { sum, _ in sum + 1 }
    #expect(throws: DatabaseError.self) { try ids(Book.filter(deep > 0)) }
    let mixed = (0..<100_000).reduce(Column("id") == 1) { condition, number in
      number % 2 == 0 ? condition || Column("id") == number : condition && Column("id") != number
    }
    #expect(throws: DatabaseError.self) { try ids(Book.filter(mixed)) }
  }

  @Test
  func `splitting adapters take any counts`() {
    #expect(splittingRowAdapters(columnCounts: [.max, 1, -1]).count == 4)
    let layout = RowLayout(columnNames: ["a", "b"])
    #expect(RangeRowAdapter(1...Int.max).adapt(layout).columns.map(\.name) == ["b"])
  }
}
