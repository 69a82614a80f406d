import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Requests as URLs")
struct FetchRequestRendererTests {
  let database: TestDatabase
  private let model: Model

  init() throws {
    database = try Library.database()
    model = try database.model
  }

  private func parse(_ target: String) throws -> FetchRequest {
    let parts = TestDatabase.encoded(target).split(separator: "?", maxSplits: 1)
    var limits = RequestLimits()
    limits.pageSize = nil
    var parser = FetchRequestParser(model: model, limits: limits)
    return try parser.parse(
      path: parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false),
      query: URLQuery(parts.count > 1 ? parts[1] : nil)
    ).fetchRequest
  }

  /// Everything that determines a result: the statements and their bindings.
  private func meaning(of request: FetchRequest) throws -> String {
    let plan = try Planner(model: model, dialect: .sqlite).plan(request)
    let statements = plan.path.map(\.statement) + plan.nodes.map(\.statement) + [plan.count].compactMap { $0 }
    // Literals may have different numbers, so their values are compared.
    return statements.map { statement in
      let bindings = statement.bindings.map { binding -> String in
        guard case .parameter(let number) = binding else { return "\(binding)" }
        return "\(request.literals.values[number])"
      }
      return "\(statement.sql) \(bindings)"
    }.joined(separator: "\n")
  }

  private func expectRoundTrip(_ target: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let request = try parse(target)
    let url = try FetchRequestRenderer.url(of: request, in: model)
    let again = try parse(url)
    #expect(
      try meaning(of: again) == meaning(of: request), "\(target)\n\(url)", sourceLocation: sourceLocation)
    #expect(try FetchRequestRenderer.url(of: again, in: model) == url, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    "/authors/1/books/2/reviews", "/countries/name=France", "/bookTags/1,2", "/tags/name=..", "/tags/name=",
    "/authors?include=books.reviews,country!&books.limit=2", "/authors?join=country&include=books",
    "/books?join=author&include=author.country,tags",
    "/authors?include=novels:books,r:novels.reviews&novels.sort=-year&novels.r.limit=1",
    "/employees?include=employeesByManager*2", "/employees?include=employeesByManager!*",
    "/authors?filter=not (name='O''Brien' or deathYear is null) and id-(2-1)=0",
    "/authors?filter=- -id%2B-(5)--5=1 or (id=1)=(id=2)=true",
    "/authors?filter=deathYear is (null) is not null", "/books?fields=n:length(title),*",
    "/authors?filter=id is null %25 3 or id is not null || name collate nocase",
    "/authors?filter=id between 1 and 2%2B1 and name not like 'a%25' escape '!'",
    "/authors?sort=(-id),-name:nocase:nullsfirst",
    "/authors?filter=id in () or id not in (1,2.0,-3,9223372036854775808,1e400)", "/authors?fields=",
    "/authors?filter=(id||name) collate nocase='x' and cast(id as text)='1' and -id collate binary<0",
    "/books?fields=kind,n:count(distinct year)&group=kind&having=count()>1&distinct=true",
    "/authors?annotate=n:books.filter(kind='novel').max(year),\"a b\":length(name),bookCount&count=true",
    "/authors?include=books&books.filter=year>../deathYear&books.values=title",
    "/books?kind=novel&kind=&authorId=1&id=2",
    "/books?search=moby&offset=1&limit=0", "/books?include=tags&tags.fields=name,p:via.position",
  ])
  func `a request comes back as it was written`(_ target: String) throws {
    try expectRoundTrip(target)
  }

  @Test
  func `so do expressions of any shape`() throws {
    var random = LinearCongruentialGenerator(state: 11)
    for _ in 0..<1500 {
      let text = expression(depth: Int.random(in: 0...5, using: &random), &random)
      let filter = URLCoding.encodeQueryValue(text)
      // Some are too deep or refused; parsed ones must be rendered back.
      guard let request = try? parse("/authors?filter=\(filter)"), (try? meaning(of: request)) != nil else {
        continue
      }
      try expectRoundTrip("/authors?filter=\(filter)")
    }
  }

  /// Returns a random expression about an author, with or without parentheses.
  private func expression(depth: Int, _ random: inout LinearCongruentialGenerator) -> String {
    func part() -> String { expression(depth: depth - 1, &random) }
    guard depth > 0 else {
      return [
        "id", "name", "deathYear", "1", "-2", "1.5", "'x''y'", "null", "true", "bookCount", "country.name",
      ]
      .randomElement(using: &random) ?? "id"
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return "(\(part()))"
    case 1: return "not \(part())"
    case 2: return "-\(part())"
    case 3: return "+\(part())"
    case 4: return "\(part()) is null"
    case 5: return "\(part()) is not \(part())"
    case 6: return "\(part()) in (\(part()), \(part()))"
    case 7: return "\(part()) not between \(part()) and \(part())"
    case 8: return "\(part()) like \(part())"
    case 9: return "\(part()) collate nocase"
    case 10: return "ifnull(\(part()), \(part()))"
    case 11:
      return "books.filter(year > 1 and \(["id", "title"].randomElement(using: &random) ?? "id") = 1).count"
    default:
      let op =
        ["=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "and", "or", "is"]
        .randomElement(using: &random) ?? "="
      return "\(part()) \(op) \(part())"
    }
  }
}
