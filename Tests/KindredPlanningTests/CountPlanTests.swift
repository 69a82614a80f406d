import KindredPostgreSQLDialect
import KindredSQLiteDialect
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Plans that count")
struct CountPlanTests {
  /// Expects the statement that counts the records of a request, on both databases but for the types of parameters.
  private func expectCount(
    of resource: String, _ root: Node, booksWhere rule: String? = nil, _ expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let model = try rule.map { try Library.model(.sqlite, booksWhere: $0) } ?? Library.model(.sqlite)
    let plan = try model.plan(of: resource, root, isCounted: true)
    #expect(plan.count?.sql == expected, sourceLocation: sourceLocation)
  }

  /// Books with their author, and what the author demands.
  private func books(filter: String? = nil, sort: String? = nil, isRequired: Bool = false) -> Node {
    Node(
      fields: "title", filter: filter, sort: sort,
      children: [Node(key: "author", isRequired: isRequired, fields: "name")])
  }

  @Test
  func `a count doesn't join what only the records show`() throws {
    try expectCount(of: "books", books(), #"SELECT COUNT(*) FROM "book""#)
    try expectCount(of: "books", books(sort: "author.name"), #"SELECT COUNT(*) FROM "book""#)
    try expectCount(
      of: "books", books(filter: "year>1900"), #"SELECT COUNT(*) FROM "book" WHERE "book"."year" > ?1"#)
  }

  @Test
  func `a count joins what a condition or a required record reads, and what leads there`() throws {
    try expectCount(
      of: "books", books(filter: "author.name='A'"),
      """
      SELECT COUNT(*) FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
      WHERE "author"."name" = ?1
      """)
    try expectCount(
      of: "books", books(isRequired: true),
      #"SELECT COUNT(*) FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#)
    try expectCount(
      of: "reviews", Node(fields: "rating", filter: "book.author.name='A'"),
      """
      SELECT COUNT(*) FROM "review" LEFT JOIN "book" ON "book"."id" = "review"."bookId" \
      LEFT JOIN "author" ON "author"."id" = "book"."authorId" WHERE "author"."name" = ?1
      """)
  }

  @Test
  func `groups are counted with the joins that they are made of`() throws {
    try expectCount(
      of: "books", Node(fields: "a:author.name,n:count()", group: "author.name"),
      """
      SELECT COUNT(*) FROM (SELECT COUNT(*) FROM "book" \
      LEFT JOIN "author" ON "author"."id" = "book"."authorId" GROUP BY "author"."name")
      """)
  }

  @Test
  func `a record out of sight is no condition of those that refer to it`() throws {
    try expectCount(
      of: "reviews", Node(fields: "rating,t:book.title"), booksWhere: "authorId=7",
      #"SELECT COUNT(*) FROM "review""#)
  }
}
