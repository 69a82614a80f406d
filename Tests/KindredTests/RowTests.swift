import Foundation
import Kindred
import Testing

@Suite("Rows")
struct RowTests {
  private let queue = DatabaseQueue()

  private func row(_ sql: String, adapter: (any RowAdapter)? = nil) throws -> Row {
    try #require(try queue.read { db in try Row.fetchOne(db, sql: sql, adapter: adapter) })
  }

  private static let joined = """
    SELECT 1 AS id, 2 AS authorId, 'Moby-Dick' AS title,
      2 AS id, 'Herman Melville' AS name, 'US' AS countryCode,
      'US' AS code, 'United States of America' AS name,
      NULL AS id, NULL AS imageId, NULL AS path
    """

  private static let joinedAdapter: any RowAdapter = {
    let parts = splittingRowAdapters(columnCounts: [3, 3, 2, 3])
    let author = parts[1].addingScopes(["unused": EmptyRowAdapter()])
    return ScopeAdapter(base: parts[0], ["author": author, "country": parts[2], "coverImage": parts[3]])
  }()

  @Test
  func `S200: a subscript reads a column by name`() throws {
    let row = try row("SELECT 1 AS id, 'Melville' AS name, NULL AS deathYear")
    let name: String = row["name"]
    let year: Int? = row["deathYear"]
    let missing: Int? = row["nowhere"]
    #expect(name == "Melville")
    #expect(year == nil)
    #expect(missing == nil)
    #expect(row["id"] as Int == 1)
    #expect(row[1] as String == "Melville")
    try row.checkDecoding()
  }

  @Test
  func `S326: a column's type is inferred, and unused columns may be NULL`() throws {
    struct Author {
      var id: Int
      var name: String
    }
    let row = try row("SELECT 1 AS id, 'Melville' AS name, NULL AS deathYear")
    let author = Author(id: row["id"], name: row["name"])
    #expect(author.name == "Melville")
    try row.checkDecoding()
  }

  @Test
  func `S200: names match in any case; of two equal ones, the first counts`() throws {
    let row = try row("SELECT 1 AS id, 2 AS ID, 3 AS Name")
    #expect(row["ID"] as Int == 2)
    #expect(row["Id"] as Int == 1)
    #expect(row["NAME"] as Int == 3)
    #expect(try self.row("SELECT 1 AS a, 2 AS a")["a"] as Int == 1)
  }

  @Test
  func `S200: what can't be read is an error of the fetch, not a trap`() throws {
    let row = try row("SELECT NULL AS name, 'x' AS year")
    #expect(row["name"] as String == "")
    #expect(throws: RowDecodingError(.mismatch(found: "NULL"), key: "name", type: String.self)) {
      try row.checkDecoding()
    }
    #expect(row["nowhere"] as Int == 0)
    #expect(throws: RowDecodingError(.columnNotFound, key: "nowhere", type: Int.self)) {
      try row.checkDecoding()
    }
    let year: Int? = row["year"]
    #expect(year == nil)
    #expect(throws: RowDecodingError.self) { try row.checkDecoding() }
    try row.checkDecoding()
    #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forKey: "year") }
  }

  @Test
  func `S200: an enumeration, which has no fallback, is decoded by a throwing method`() throws {
    enum Kind: String, DatabaseValueConvertible { case novel }
    let row = try row("SELECT 'novel' AS kind, 'other' AS other, NULL AS none")
    let kind: Kind = try row["kind"]
    #expect(kind == .novel)
    #expect(try row[0] as Kind == .novel)
    #expect(throws: RowDecodingError.self) { try row.decode(Kind.self, forKey: "other") }
    let none: Kind? = row["none"]
    #expect(none == nil)
  }

  @Test
  func `S204: scopes are rows inside of the row`() throws {
    let row = try row(Self.joined, adapter: Self.joinedAdapter)
    #expect(row.scopes.names == ["author", "country", "coverImage"])
    #expect(row.scopes["author"]?["name"] == "Herman Melville")
    #expect(row.scopes["nobody"] == nil)
    #expect(row.scopesTree["unused"] != nil)
    #expect(row.scopesTree.names == ["author", "country", "coverImage", "unused"])
    #expect(row.columnNames == ["id", "authorId", "title"])
    #expect(row.unscoped.scopes.isEmpty)
  }

  @Test
  func `S202: a scope of NULLs only is distinguished from a record`() throws {
    let row = try row(Self.joined, adapter: Self.joinedAdapter)
    #expect(row.scopes["coverImage"]?.containsOnlyNulls == true)
    #expect(row.scopes["author"]?.containsOnlyNulls == false)
  }

  @Test
  func `S203: rows that were fetched along are found by key, also those of scopes`() throws {
    var row = try row(Self.joined, adapter: Self.joinedAdapter)
    row.prefetchedRows.set([["id": 1]], forKey: "prizes")
    row.prefetchedRows.set([["id": 2], ["id": 3]], forKey: "awards", in: ["author"])
    #expect(row.prefetchedRows["prizes"]?.count == 1)
    #expect(row.prefetchedRows["awards"]?.count == 2)
    #expect(row.prefetchedRows.keys == ["prizes", "awards"])
    #expect(row.scopes["author"]?.prefetchedRows["awards"]?.count == 2)
    #expect(row.scopes["author"]?.prefetchedRows["prizes"] == nil)
    #expect(row.prefetchedRows["others"] == nil)
  }

  @Test
  func `S206, S207, S208, S209, S210: the debug description shows columns, scopes, prefetched rows`() throws {
    let parts = splittingRowAdapters(columnCounts: [3, 3, 2, 3])
    let author = ScopeAdapter(base: parts[1], ["country": parts[2]])
    let adapter = ScopeAdapter(base: parts[0], ["author": author, "coverImage": parts[3]])
    var row = try row(Self.joined, adapter: adapter)
    row.prefetchedRows.set([["id": 1], ["id": 2], ["id": 3]], forKey: "prizes")
    #expect(
      row.debugDescription == """
        ▿ [id:1, authorId:2, title:"Moby-Dick"]
          unadapted: [id:1, authorId:2, title:"Moby-Dick", id:2, name:"Herman Melville", countryCode:"US", \
        code:"US", name:"United States of America", id:NULL, imageId:NULL, path:NULL]
          - author: [id:2, name:"Herman Melville", countryCode:"US"]
            - country: [code:"US", name:"United States of America"]
          - coverImage: [id:NULL, imageId:NULL, path:NULL]
          + prizes: 3 rows
        """)
  }

  @Test
  func `S206: the debug description of a plain row is one line`() throws {
    #expect(try row("SELECT 1 AS id, x'00FF' AS data").debugDescription == "[id:1, data:Data(2 bytes)]")
  }

  @Test
  func `S212: the description is the columns in one line`() throws {
    let row = try row(Self.joined, adapter: Self.joinedAdapter)
    #expect(row.description == "[id:1, authorId:2, title:\"Moby-Dick\"]")
  }

  @Test
  func `rows are equal in columns, scopes and rows fetched along`() throws {
    let first = try row(Self.joined, adapter: Self.joinedAdapter)
    var second = try row(Self.joined, adapter: Self.joinedAdapter)
    #expect(first == second)
    second.prefetchedRows.set([], forKey: "prizes")
    #expect(first != second)
    #expect(first != (try row(Self.joined)))
    #expect(try row("SELECT 1 AS a, 2 AS b") == ["a": 1, "b": 2])
    #expect(try row("SELECT 1 AS a, 2 AS b") != ["b": 2, "a": 1])
  }

  @Test
  func `a row goes through its columns`() throws {
    let row = try row("SELECT 1 AS a, NULL AS b")
    #expect(row.map { column, _ in column } == ["a", "b"])
    #expect(row.map { _, value in value } == [1.databaseValue, .null])
    #expect(Dictionary(row, uniquingKeysWith: { first, _ in first }) == ["a": 1.databaseValue, "b": .null])
    #expect(row.containsNonNullValue)
    #expect(row.count == 2)
    #expect(row.hasColumn("A"))
    #expect(row.hasNull(atIndex: 1))
  }

  @Test
  func `a row is a collection of its columns`() throws {
    let row = try row("SELECT 1 AS id, 'Typee' AS title, NULL AS year")
    #expect(row.map { $0.0 } == ["id", "title", "year"])
    let second = row[row.index(after: row.startIndex)]
    #expect(second.0 == "title" && second.1 == "Typee".databaseValue)
    #expect(row.last.map { $0.0 } == "year" && row.reversed().count == 3)
    #expect(row.firstIndex { $0.1.isNull } == row.index(row.startIndex, offsetBy: 2))
    #expect(row[row.endIndex].1.isNull)
  }

  @Test
  func `a row is created of any values that can be stored`() throws {
    #expect(Row(["title": "Typee" as Any, "year": 1846 as Any]) == ["title": "Typee", "year": 1846])
    #expect(Row(["title": Row() as Any] as [AnyHashable: Any]) == nil)
    #expect(Row([1: "Typee"] as [AnyHashable: Any]) == nil)
  }

  @Test
  func `the parts of a date are read without try`() throws {
    let row = try row("SELECT '1819-08-01' AS birthday, 'x' AS name")
    let birthday: DatabaseDateComponents = row["birthday"]
    #expect(birthday.format == .YMD && birthday.dateComponents.year == 1819)
    let name: DatabaseDateComponents = row["name"]
    #expect(name.dateComponents.year == nil)
    #expect(throws: RowDecodingError.self) { try row.checkDecoding() }
  }

  /// Decodes the columns that `names` lists, one after the other.
  private struct Named: Decodable, FetchableRecord {
    @TaskLocal static var names: [String] = []
    struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    let values: [Int]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      values = try Self.names.map { try container.decode(Int.self, forKey: Name(stringValue: $0)) }
    }
  }

  @Test
  func `a record reads the first of several columns with one name, in whatever order it reads them`() throws {
    for _ in 0..<500 {
      let columns = (0..<6).map { _ in ["id", "name", "Id", "é", "teamId"].randomElement() ?? "id" }
      let selection = columns.enumerated().map { "\($0) AS \"\($1)\"" }.joined(separator: ", ")
      let row = try row("SELECT \(selection)")
      let names = columns.shuffled() + columns
      let expected = names.map { row[$0] as Int }
      let decoded = try Named.$names.withValue(names) { try Named(row: row) }
      #expect(decoded.values == expected, "\(columns) \(names)")
    }
  }
}
