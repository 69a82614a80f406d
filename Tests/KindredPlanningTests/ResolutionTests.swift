import KindredSQLiteDialect
import KindredSQLSyntax
import OrderedCollections
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Names are resolved before there is any SQL")
struct ResolutionTests {
  @Test(arguments: [
    ("title", "column title"), ("Title", "column title"),
    ("author.name", "author: column name"),
    ("reviews.count", "count of reviews"),
    ("reviews.max(rating)", "max of reviews"),
    ("reviews.avg(rating)", "average of reviews"), ("reviews.average(rating)", "average of reviews"),
    ("maxReviewRating", "max of reviews"),
    ("author.books.filter(year>1900).count", "author: count of books, if 1"),
    ("../name", "1 above: column name"),
    ("../bookCount", "1 above: count of books"),
    ("decade", "name decade"),
  ])
  func `a path means a column, an aggregate, or the same of another record`(text: String, meaning: String)
    throws
  {
    #expect(try description(of: text) == meaning)
  }

  @Test
  func `a name has its other meaning in its own definition`() throws {
    let node = try Self.node(annotations: ["reviewCount": "reviewCount+1"])
    guard case .path(.named(let named)) = try resolve("reviewCount", node: node).meaning,
      case .binary(_, let operand, _) = named.expression.meaning,
      case .path(.aggregate(let aggregate)) = operand.meaning
    else {
      Issue.record("reviewCount isn't a named aggregate")
      return
    }
    #expect(aggregate.function == .count)
    #expect(!named.isStable)
  }

  @Test(arguments: [
    ("titel", "`titel` is not a column of books"),
    ("author", "`author` is an association; write one of its columns, such as `author.id`"),
    ("reviews.rating", "`reviews` is to-many, so `rating` has many values"),
    ("../../id", "`../` is not available here"),
    ("count()", "`count` is an aggregate of a group; add `group=…`"),
    ("substr(title)", "`substr` takes 2 to 3 arguments, not 1"),
    (
      "reviews.variance(rating)",
      "`reviews` is a to-many association, and `variance` is not an aggregate; the aggregates are count, isEmpty, min, max, average, sum, total, concat"
    ),
    ("title=Moby", "`Moby` is not a column of books; a text is written in quotes: `'Moby'`"),
    ("title in ('a',Moby)", "`Moby` is not a column of books; a text is written in quotes: `'Moby'`"),
    (
      "title like titel",
      "`titel` is not a column of books; did you mean `title`? Or a text is written in quotes: `'titel'`"
    ),
  ])
  func `what has no meaning is refused`(text: String, message: String) throws {
    let error = #expect(throws: RequestError.self) { try resolve(text) }
    #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    ("titel", 0), ("year>1900 and titel='x'", 14), ("author.nam", 7),
    ("author.books.filter(yeer>1).count", 20),
    ("iif(year>1900,../../id,1)", 14), ("title||reviews.rating", 7), ("1+substr(title)", 2),
    ("coalesce(year,nope())", 14),
  ])
  func `an error points at the name that has no meaning`(text: String, position: Int) throws {
    let error = #expect(throws: RequestError.self) { try resolve(text) }
    #expect(error?.origin?.position == position, "\(error?.message ?? "")")
  }

  @Test
  func `a named expression means what it stands for, wherever it is named`() throws {
    guard case .binary(_, let left, let right) = try resolve("decade+decade").meaning,
      case .path(.named(let first)) = left.meaning, case .path(.named(let second)) = right.meaning
    else {
      Issue.record("decade is no name")
      return
    }
    #expect(first.name == "decade" && first.isStable && second.name == "decade")
    guard case .binary(.divide, _, _) = first.expression.meaning else {
      Issue.record("decade isn't year/10")
      return
    }
  }

  @Test(arguments: [
    ("year between 1900 and 2000", "between"), ("title in ()", "in"), ("not year", "unary"),
    ("year=1 and year=2 and year=3", "all"), ("year=1 or year=2", "any"), ("title like 'x%'", "match"),
    ("title is null", "isNull"), ("year+1", "binary"), ("null", "null"), ("true", "boolean"),
    ("1", "value"),
    ("abs(year)", "function"), ("case when year then 1 end", "cases"), ("cast(year as text)", "cast"),
  ])
  func `each kind of expression has a meaning of its own`(text: String, meaning: String) throws {
    let description = "\(try resolve(text).meaning)"
    #expect(description.prefix { $0 != "(" } == meaning)
  }

  @Test
  func `names that define each other don't suggest each other`() throws {
    let node = try Self.node(annotations: ["x": "y", "y": "x"])
    let error = #expect(throws: RequestError.self) { try resolve("x", node: node) }
    #expect(error?.message == "`x` is defined by itself, and not a column of books")
    #expect(error?.suggestions == [])
  }

  @Test
  func `a misspelt field is no column, whatever its name in the answer is`() throws {
    for text in ["titl", "titl+1"] {
      let node = try Self.node(annotations: ["titl": text])
      let error = #expect(throws: RequestError.self) { try resolve("titl", node: node) }
      #expect(error?.message == "`titl` is not a column of books; did you mean `title`?")
    }
  }

  // MARK: Groups

  @Test(arguments: [
    ("year", "year"), ("year", "year+1"), ("year/10", "year/10"), ("year/10", "abs(year/10) > 1 and 5 is 5"),
    ("decade", "year/10"), ("year/10", "decade"), ("id", "title"), ("id", "author.name"),
    ("id", "reviews.count"),
    ("author.id", "author.name"), ("author.id", "author.books.count"),
    ("author.name,year", "year||author.name"),
    ("year", "../name"), ("reviews.filter(rating>3).count", "reviews.filter(rating>3).count+1"),
    ("year", "count()"), ("year", "max(title)"), ("title collate nocase", "title collate nocase"),
    ("case when year=1 then 'a' end", "case when year=1 then 'a' end"),
    ("title in ('a','b')", "title in ('a','b')"), ("title in ('a','b')", "title not in ('a','b')"),
    ("year is null", "year is not null"), ("year<1", "not (year<1)"), ("year<1", "year>=1"),
    ("title='a'", "title!='a' and count()>1"), ("title is 'a'", "title is not 'a'"),
  ])
  func `outside an aggregate stands what is grouped by, or what a grouped key determines`(
    group: String, text: String
  ) throws {
    try check(text, groupedBy: group)
  }

  @Test(arguments: [
    (
      "year", "title",
      "`title` differs within a group; add it to `group`, or write an aggregate such as `max(title)`"
    ),
    ("year/10", "year/100", "`year` differs within a group"),
    ("year/10", "year", "`year` differs within a group"),
    ("year", "max(year)+id", "`id` differs within a group"),
    ("authorId", "author.name", "`author.name` differs"),
    ("author.id", "title", "`title` differs"),
    ("author.id", "author.books.count+reviews.count", "`reviews.count` differs"),
    ("year", "reviews.count", "`reviews.count` differs"), ("year", "decade+id", "`id` differs"),
    (
      "reviews.filter(rating>3).count", "reviews.filter(rating>4).count",
      "`reviews.filter(rating > 4).count` differs"
    ),
    ("title collate nocase", "title collate rtrim", "`title` differs"),
    ("title like 'a'", "title glob 'a'", "`title` differs"),
    ("", "title", "`title` differs between the records, which are one group"),
  ])
  func `anything else is refused`(group: String, text: String, message: String) {
    let error = #expect(throws: RequestError.self) { try check(text, groupedBy: group) }
    #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "")")
  }

  @Test
  func `equal literals of a group become one, and then the plan depends on them`() throws {
    var literals = Literals()
    let group = try Self.expressions("year/10", &literals)[0]
    let text = try Self.expressions("year/10", &literals)[0]
    let state = PlanningState(
      model: Library.model(.sqlite), dialect: Dialect.sqlite.writer, literals: literals.values)
    let scope = try Self.books(Self.node(), group: [group])
    let context = NameContext(scope: scope, author: .request, allowsGroupAggregates: true)
    try GroupCheck(state, of: scope).check(ExpressionResolver(state: state).resolve(text, in: context))
    #expect(state.sameLiterals == [1: .parameter(0)])
    #expect(state.readsLiterals)
  }

  private func check(_ text: String, groupedBy group: String) throws {
    let groups = try group.isEmpty ? [] : Self.expressions(group)
    let scope = try Self.books(Self.node(), group: groups)
    let state = PlanningState(model: scope.model, dialect: Dialect.sqlite.writer)
    let context = NameContext(scope: scope, author: .request, allowsGroupAggregates: true)
    for expression in try Self.expressions(text) {
      try GroupCheck(state, of: scope).check(
        ExpressionResolver(state: state).resolve(expression, in: context))
    }
  }

  private static func expressions(_ text: String) throws -> [Expression] {
    var parser = try ExpressionParser(text)
    return try parser.parseExpressions()
  }

  private static func expressions(_ text: String, _ literals: inout Literals) throws -> [Expression] {
    var parser = try ExpressionParser(text, literals: literals)
    defer { literals = parser.collectedLiterals }
    return try parser.parseExpressions()
  }

  // MARK: The books of an author

  private static func books(_ node: RequestNode, group: [Expression] = []) throws -> NameScope {
    let model = Library.model(.sqlite)
    var node = node
    node.group = group
    let author = NameScope(
      model: model, resource: try #require(model.resources["authors"]), node: nil, parent: nil)
    return NameScope(
      model: model, resource: try #require(model.resources["books"]), node: node, parent: author)
  }

  private static func node(annotations: [String: String] = ["decade": "year/10"]) throws -> RequestNode {
    var node = RequestNode(key: "books")
    node.annotations = try annotations.map { name, text in
      var parser = try ExpressionParser(text)
      return NamedExpression(name: name, expression: try parser.parseExpression())
    }
    return node
  }

  private func resolve(_ text: String, node: RequestNode? = nil) throws -> ResolvedExpression {
    let book = try Self.books(node ?? Self.node())
    var parser = try ExpressionParser(text)
    let state = PlanningState(model: book.model, dialect: Dialect.sqlite.writer)
    return try ExpressionResolver(state: state).resolve(
      try parser.parseExpression(), in: NameContext(scope: book, author: .request))
  }

  private func description(of text: String) throws -> String {
    guard case .path(let path) = try resolve(text).meaning else { return "no path" }
    return description(of: path)
  }

  private func description(of path: ResolvedPath) -> String {
    switch path {
    case .column(let column): "column \(column.name)"
    case .computed(let computed): "computed \(computed.name)"
    case .via(let path): "via \(description(of: path))"
    case .above(let levels, let rest): "\(levels) above: \(description(of: rest))"
    case .joined(let association, let rest): "\(association.key): \(description(of: rest))"
    case .named(let named): "name \(named.name)"
    case .aggregate(let aggregate):
      "\(aggregate.function) of \(aggregate.association.key)"
        + (aggregate.filters.isEmpty ? "" : ", if \(aggregate.filters.count)")
    case .claim(let claim): "claim \(claim)"
    case .unknown: "unknown"
    }
  }
}
