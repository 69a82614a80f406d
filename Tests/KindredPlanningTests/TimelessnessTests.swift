import KindredPostgreSQLDialect
import KindredSQLiteDialect
import KindredSQLSyntax
import OrderedCollections
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Whether a result depends on the database alone")
struct TimelessnessTests {
  private func isTimeless(_ node: Node, of resource: String = "books", on dialect: Dialect) throws -> Bool {
    try Library.model(dialect).plan(of: resource, node, on: dialect).isTimeless
  }

  @Test(arguments: [Dialect.sqlite, .postgreSQL])
  func `a call that reads the clock makes it depend on more, wherever it stands`(dialect: Dialect) throws {
    for node in [
      Node(fields: "day:date('now')"), Node(filter: "date()>'2024-01-01'"), Node(sort: "-time()"),
      Node(annotate: "late:iif(year>1900,datetime(),title)"),
      Node(fields: "n:author.books.filter(julianday()>year).count"),
      Node(fields: "n:count()", group: "date()"),
      Node(children: [Node(key: "reviews", filter: "strftime('%Y','now')>2000")]),
      Node(children: [Node(key: "author", isRequired: true, isIncluded: false, filter: "name<date()")]),
    ] {
      #expect(try !isTimeless(node, on: dialect), "\(node)")
    }
  }

  @Test(arguments: [Dialect.sqlite, .postgreSQL])
  func `a text or a name is no call`(dialect: Dialect) throws {
    for node in [
      Node(), Node(filter: "title='random() changes() date('"),
      Node(fields: "now:title,random:year,date:length(title)"),
    ] {
      #expect(try isTimeless(node, on: dialect), "\(node)")
    }
  }

  @Test
  func `a date in a column may be the text 'now', which PostgreSQL doesn't take for a date`() throws {
    let node = Node(filter: "date(title)='2024-01-01'")
    #expect(try !isTimeless(node, on: .sqlite))
    #expect(try isTimeless(node, on: .postgreSQL))
  }

  // MARK: Views

  /// The library, where the rows of this table change by themselves.
  private func model(changing name: String) -> Model {
    var model = Library.model(.sqlite)
    model.tables[name]?.isTimeless = false
    for (resource, value) in model.resources where value.table.name == name {
      model.resources[resource]?.table.isTimeless = false
    }
    return model
  }

  @Test(arguments: [
    Node(fields: "rating"), Node(fields: "id", children: [Node(key: "book", fields: "title")]),
  ])
  func `rows that change by themselves make the result depend on more`(node: Node) throws {
    #expect(try !model(changing: "review").plan(of: "reviews", node).isTimeless)
    #expect(try model(changing: "category").plan(of: "reviews", node).isTimeless)
  }

  @Test(arguments: [
    Node(children: [Node(key: "reviews")]), Node(fields: "n:reviews.count"),
    Node(filter: "reviews.max(rating)>3"),
    Node(sort: "reviews.count", limit: 3),
    Node(children: [Node(key: "reviews", isRequired: true, isIncluded: false)]),
  ])
  func `they count wherever they are read, also from a copy`(node: Node) throws {
    #expect(try !model(changing: "review").plan(of: "books", node).isTimeless)
    #expect(try model(changing: "category").plan(of: "books", node).isTimeless)
  }

  @Test
  func `a table keeps what it is when it gets another key`() throws {
    var table = try #require(Library.model(.sqlite).tables["review"])
    table.isTimeless = false
    #expect(!table.identified(by: [1]).isTimeless)
  }
}
