import KindredModel
import KindredSQLite
import KindredSQLiteBackend
import Testing

@testable import KindredModelFile

@Suite("Keys that the schema doesn't declare")
struct ForeignKeyTests {
  static let town = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE club (code TEXT PRIMARY KEY, name TEXT UNIQUE, motto TEXT);
    CREATE TABLE post (id INTEGER PRIMARY KEY, author_id INTEGER, club TEXT, reply_to INTEGER);
    CREATE TABLE member (person_id INTEGER, club_code TEXT, PRIMARY KEY (person_id, club_code));
    CREATE TABLE hall (building TEXT, number INTEGER, PRIMARY KEY (building, number));
    CREATE TABLE event (id INTEGER PRIMARY KEY, hallBuilding TEXT, hallNumber INTEGER);
    CREATE TABLE import (code TEXT, name TEXT);
    """

  private func model(_ text: String, _ sql: String = town) throws -> Model {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute(sql)
    return try ModelFileParser(path: "model.yaml").parse(text).model(of: ConnectionSchema(connection))
  }

  private func keys(_ model: Model, _ resource: String) -> [String] {
    (model.resources[resource]?.associations.values).map { values in
      values.map { "\($0.key): \($0.kind) \($0.destination) (\($0.definition ?? ""))" }
    } ?? []
  }

  @Test
  func `inference goes on from them, and each association names its line`() throws {
    let model = try model(
      """
      resources:
        posts:
          foreignKeys: { author_id: people, club: { clubs: name } }
        members:
          foreignKeys:
            - { person_id: people }
            - { club_code: clubs }
        events:
          foreignKeys:
            - { columns: [hallBuilding, hallNumber], references: halls }
      """)
    #expect(
      keys(model, "posts") == [
        "author: belongsTo people (model.yaml:3)", "club: belongsTo clubs (model.yaml:3)",
      ])
    #expect(
      keys(model, "people") == [
        "posts: hasMany posts (model.yaml:3)", "members: hasMany members (model.yaml:6)",
        "clubs: hasManyThrough clubs (model.yaml:6, model.yaml:7)",
      ])
    #expect(keys(model, "events") == ["hall: belongsTo halls (model.yaml:10)"])
    #expect(model.tables["post"]?.foreignKeys == [])
  }

  @Test
  func `they lead to resources by the names that the file gives`() throws {
    let model = try model(
      """
      resources:
        users: { table: person }
        posts: { foreignKeys: { author_id: users } }
      """)
    #expect(keys(model, "posts") == ["author: belongsTo users (model.yaml:3)"])
  }

  @Test
  func `one that the schema declares too adds nothing`() throws {
    let sql = """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId REFERENCES author);
      """
    let model = try model("resources:\n  books: { foreignKeys: { authorId: authors } }", sql)
    #expect(keys(model, "books") == ["author: belongsTo authors ()"])
    #expect(keys(model, "authors") == ["books: hasMany books ()"])
  }

  @Test(arguments: [
    ("posts: { foreignKeys: { autor_id: people } }", "no column `autor_id`"),
    ("posts: { foreignKeys: { author_id: peple } }", "did you mean `people`"),
    ("posts: { foreignKeys: { author_id: id } }", "name resources, unlike an association's `foreignKey`"),
    ("posts: { foreignKeys: [author_id] }", "name the resource"),
    ("posts: { foreignKeys: people }", "must be a mapping or a list"),
    ("posts: { foreignKeys: { club: { clubs: motto } } }", "`motto` of `clubs` aren't unique"),
    ("events: { foreignKeys: { hallNumber: halls } }", "the key of `halls` has 2 columns"),
    (
      "events: { foreignKeys: [{ columns: [hallBuilding, hallNumber], references: halls, to: [building] }] }",
      "has 1 (`building`)"
    ),
    ("events: { foreignKeys: { columns: [hallBuilding, hallNumber], references: halls } }", "in a list"),
    (
      "posts: { associations: { author: { belongsTo: people, foreignKey: { author_id: { people: id } } } } }",
      "must be a string"
    ),
    ("people: { key: [name] }", "the table `person` has its own (`id`)"),
    ("imports: { key: [cod] }", "no column `cod`"),
  ])
  func `a mistake stops the start, with its line`(entry: String, message: String) throws {
    let error = #expect(throws: ModelFileError.self) { try model("resources:\n  \(entry)") }
    #expect(error?.line == 2)
    #expect(error?.message.contains(message) ?? false, "\(error.map { "\($0)" } ?? "")")
  }

  @Test
  func `a table without a declared key loses its rowid, finds records by the key and orders them by both`()
    throws
  {
    let table = try #require(try model("resources:\n  imports: { key: [code] }").tables["import"])
    #expect(table.columns.map(\.name) == ["code", "name"])
    #expect(table.primaryKey == [0])
    #expect(table.identity.map(\.name) == ["rowid"])
    #expect(table.orderingColumns.map(\.name) == ["code", "rowid"])
    #expect(!table.isUnique(["code"]))
  }
}
