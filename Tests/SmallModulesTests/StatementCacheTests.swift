import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import Testing

@testable import KindredBackend

@Suite("Statements of one shape are made once")
struct StatementCacheTests {
  private static let author = Table(
    name: "author", kind: .table,
    columns: [
      Column(name: "id", declaredType: "INTEGER", isNullable: false),
      Column(name: "name", declaredType: "TEXT", isNullable: true),
    ], primaryKey: [0], uniqueKeys: [[0]], rowIDName: "rowid", rowIDColumn: "id")

  private static let tag = Table(
    name: "tag", kind: .table, columns: author.columns, primaryKey: [1], uniqueKeys: [[1]], rowIDName: "rowid"
  )

  // MARK: Changes

  @Test
  func `an insertion that returns the rowid alone has no RETURNING, since SQLite reports it anyway`() {
    let statements = ChangeStatements(.sqlite)
    let rowID = statements.statement(.insertion(of: ["name"], returning: ["id"]), of: Self.author)
    #expect(rowID.givesRowID)
    #expect(rowID.text.sql == #"INSERT INTO "author" ("name") VALUES (?1)"#)
    let both = statements.statement(.insertion(of: ["name"], returning: ["id", "name"]), of: Self.author)
    #expect(!both.givesRowID)
    #expect(both.text.sql.hasSuffix(#" RETURNING "id", "name""#))
    let key = statements.statement(.insertion(of: ["name"], returning: ["name"]), of: Self.tag)
    #expect(!key.givesRowID, "its key is no rowid")
  }

  @Test
  func `an insertion into a view returns what it is asked for, as a view has no rowid of its own`() {
    let view = Table(
      name: "author", kind: .view, columns: Self.author.columns, primaryKey: [0], rowIDColumn: "id",
      insteadOf: .all)
    let statement = ChangeStatements(.sqlite).statement(
      .insertion(of: ["name"], returning: ["id"]), of: view)
    #expect(!statement.givesRowID)
  }

  @Test
  func `the same change of another table is another statement`() {
    let statements = ChangeStatements(.sqlite)
    for table in [Self.author, Self.tag, Self.author] {
      let statement = statements.statement(.deletion(by: ["name"]), of: table)
      #expect(statement.text.sql.hasPrefix("DELETE FROM \"\(table.name)\" "))
    }
  }

  @Test
  func `a change knows the columns that its first parameters are written to`() {
    let statements = ChangeStatements(.sqlite)
    let change = TableChange.update(of: ["name"], resetting: [], by: ["id"], returning: [])
    #expect(statements.statement(change, of: Self.author).writtenColumns == ["name"])
    #expect(statements.statement(.deletion(by: ["id"]), of: Self.author).writtenColumns == [])
  }

  // MARK: Lookups

  private func path(_ resource: String, _ column: String, literals: [Int] = [0]) -> RequestPath {
    RequestPath(
      resource: resource, segments: [.record([RequestPath.KeyColumn(name: column, literals: literals)])])
  }

  @Test
  func `lookups differ in resource, key, number of candidates and columns`() throws {
    let lookups = RecordLookups(
      model: Model(inferredFrom: Schema(tables: [Self.author, Self.tag])), dialect: .sqlite)
    func sql(_ path: RequestPath, _ columns: [String]) throws -> String {
      let lookup = try lookups.lookup(path, columns: columns)
      #expect(lookup.columns == columns)
      return try #require(lookup.steps.last).statement.text.sql
    }
    let all = [
      try sql(path("authors", "id"), ["id"]), try sql(path("authors", "id"), ["name"]),
      try sql(path("authors", "id"), ["name", "id"]), try sql(path("authors", "name"), ["id"]),
      try sql(path("authors", "id", literals: [0, 1]), ["id"]), try sql(path("tags", "name"), ["id"]),
    ]
    #expect(Set(all).count == all.count)
    #expect(try sql(path("authors", "id"), ["id"]) == all[0])
  }
}
