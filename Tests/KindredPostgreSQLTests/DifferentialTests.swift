import Foundation
import KindredAPI
import KindredModel
import KindredPlanning
import KindredBackend
import KindredSQLiteBackend
import KindredHTTP
import KindredModelFile
import KindredPostgreSQL
import KindredPostgreSQLBackend
import KindredSQLite
import Logging
import TestSupport
import Testing

/// The same records in SQLite and in PostgreSQL give the same answers to random requests.
@Suite("SQLite and PostgreSQL agree", .enabled(if: Cluster.isAvailable))
struct DifferentialTests {
  /// The number of requests for each size of batches; more with `KINDRED_TEST_REQUESTS`.
  private static let count =
    ProcessInfo.processInfo.environment["KINDRED_TEST_REQUESTS"].flatMap { Int($0) } ?? 400

  @Test(arguments: [2, 3, 1000])
  func `whatever the size of batches`(batch: Int) throws {
    try compare(batch: batch, engine: Cluster.engine)
  }

  @Test
  func `in the statements of engines that limit by windows`() throws {
    try compare(batch: 5, engine: .citus)
  }

  @Test
  func `for a client that may read some records only`() throws {
    try compare(
      batch: 4, engine: Cluster.engine,
      model: """
        resources:
          books: { access: { read: { rows: kind is not 'poem' and author.born is not 1900 } } }
          reviews: { access: { read: { rows: rating > 1 } } }
          authors: { access: { read: {} } }
          countries: { access: { read: {} } }
          tags: { access: { read: {} } }
          booktags: { access: { read: { rows: place <> 2 } } }
        """)
  }

  @Test
  func `under access rules`() throws {
    try compare(
      batch: 3, engine: Cluster.engine,
      model: """
        resources:
          authors: { access: { read: { rows: born is null or born % 3 > 0 } } }
          books: { access: { read: { rows: "author.country_code is not 'FR' and year > 1815" } } }
          countries: { access: { read: {} } }
          reviews: { access: { read: { rows: rating > 1 } } }
          tags: { access: { read: {} } }
          booktags: { access: { read: {} } }
        """)
  }

  private func compare(
    batch: Int, engine: EngineCapabilities.Engine?, model: String = "resources: {}"
  ) throws {
    let file = try ModelFileParser(path: "model.yaml").parse(model)
    var random = SeededRandom(seed: UInt64(batch))
    let content = LibraryContent(&random)
    let directory = try TemporaryDirectory()
    let sqlite = try Self.sqlite(content, at: directory.path("library.db"), file)
    defer { sqlite.stop() }
    let postgres = try Self.postgres(content, batch: batch, engine: engine, file)
    defer { postgres.stop() }
    for number in 0..<Self.count {
      var request = RandomRequest(&random)
      let url = request.url(&random)
      let lines = number.isMultiple(of: 2)
      var (first, second): (String?, String?) = (url, url)
      // As far as there are pages, up to three.
      for _ in 0..<3 {
        guard let left = first, let right = second else {
          #expect(first == nil && second == nil, "the number of pages of \(url)")
          break
        }
        let (one, other) = (Answer(sqlite, left, lines), Answer(postgres, right, lines))
        #expect(one.status == other.status, "\(url): \(one.text.prefix(200)) | \(other.text.prefix(200))")
        guard one.status == other.status, one.status == 200 else { break }
        #expect(one.text == other.text, "\(url)")
        (first, second) = (one.next, other.next)
      }
    }
  }

  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func sqlite(
    _ content: LibraryContent, at path: String, _ file: ModelFile
  ) throws -> KindredService {
    let pool = try ConnectionPool(path: path, access: .readWriteCreate, readers: 2)
    try pool.withWriter { try $0.execute(content.sql(integer: "INTEGER", real: "REAL")) }
    return try KindredService(SQLiteBackend(pool), logger: logger) { try file.model(of: $0) }
  }

  private static func postgres(
    _ content: LibraryContent, batch: Int, engine: EngineCapabilities.Engine?, _ file: ModelFile
  ) throws -> KindredService {
    let target = try Cluster.database()
    let connection = try PostgreSQLConnection(target)
    for statement in content.sql(integer: "bigint", real: "float8").split(separator: ";\n") {
      _ = try connection.run([Query(String(statement), isReusable: false)])
    }
    let backend = try PostgreSQLBackend(
      PostgreSQLPool(target, size: 2, checkoutTimeout: 60_000),
      batches: BatchSizes(first: batch, largest: batch, level: batch), engine: engine)
    return try KindredService(backend, logger: logger) { try file.model(of: $0) }
  }
}

/// What a service answers.
private struct Answer {
  let status: Int
  let text: String
  /// The URL of the next page.
  let next: String?

  init(_ service: KindredService, _ url: String, _ lines: Bool) {
    let headers: HTTPHeaders = lines ? ["Accept": "application/x-ndjson"] : [:]
    let response = service.respond(to: HTTPRequest(method: .get, target: url, headers: headers))
    status = response.status.code
    text = response.body.text
    let links = response.headers.values(for: "Link").joined(separator: ", ")
    next = links.ranges(of: ">; rel=\"next\"").first.flatMap { end in
      links[..<end.lowerBound].split(separator: "<").last.map(String.init)
    }
  }
}

/// A generator whose numbers are the same for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}

/// Random records of a small library.
private struct LibraryContent {
  private var insertions: [String] = []

  init(_ random: inout SeededRandom) {
    func text(_ value: String?) -> String { value.map { "'\($0)'" } ?? "NULL" }
    func number(_ range: ClosedRange<Int>, _ absent: Int) -> String {
      random.chance(absent) ? "NULL" : String(Int.random(in: range, using: &random))
    }
    for code in ["DE", "FR", "US"] {
      insertions.append("INSERT INTO country VALUES ('\(code)', 'Land \(code)')")
    }
    for id in 1...30 {
      let name = random.one(of: ["Ann", "Bob", "Cy", "Dee", "Eve"]) + " \(id % 7)"
      let country = random.one(of: ["DE", "FR", "US", nil])
      let mentor = id > 1 ? number(1...(id - 1), 50) : "NULL"
      insertions.append(
        "INSERT INTO author VALUES (\(id), '\(name)', \(text(country)), \(number(1800...1990, 20)), \(mentor))"
      )
    }
    for id in 1...120 {
      let kind = random.one(of: ["novel", "poem", "essay", nil])
      insertions.append(
        "INSERT INTO book VALUES (\(id), \(number(1...30, 10)), 'T\(id % 40)', \(text(kind)), \(number(1800...2000, 20)), \(number(1...40, 30)) * 0.25)"
      )
    }
    for id in 1...200 {
      insertions.append("INSERT INTO review VALUES (\(id), \(number(1...120, 5)), \(number(1...5, 10)))")
    }
    for tag in 1...8 { insertions.append("INSERT INTO tag VALUES (\(tag), 'tag \(tag % 3)')") }
    var pairs: Set<[Int]> = []
    for _ in 0..<150 {
      pairs.insert([Int.random(in: 1...120, using: &random), Int.random(in: 1...8, using: &random)])
    }
    for pair in pairs.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      insertions.append("INSERT INTO booktag VALUES (\(pair[0]), \(pair[1]), \(pair[0] % 4))")
    }
  }

  func sql(integer: String, real: String) -> String {
    let tables = [
      "CREATE TABLE country (code text PRIMARY KEY NOT NULL, name text NOT NULL)",
      "CREATE TABLE author (id \(integer) PRIMARY KEY, name text NOT NULL, country_code text REFERENCES country, born \(integer), mentor_id \(integer) REFERENCES author)",
      "CREATE TABLE book (id \(integer) PRIMARY KEY, author_id \(integer) REFERENCES author, title text NOT NULL, kind text, year \(integer), price \(real))",
      "CREATE TABLE review (id \(integer) PRIMARY KEY, book_id \(integer) REFERENCES book, rating \(integer))",
      "CREATE TABLE tag (id \(integer) PRIMARY KEY, name text NOT NULL)",
      "CREATE TABLE booktag (book_id \(integer) NOT NULL REFERENCES book, tag_id \(integer) NOT NULL REFERENCES tag, place \(integer), PRIMARY KEY (book_id, tag_id))",
      "CREATE INDEX book_author ON book (author_id)",
      "CREATE INDEX author_country ON author (country_code)",
    ]
    return (tables + insertions).joined(separator: ";\n")
  }
}

/// A random request that means the same to both.
private struct RandomRequest {
  private enum Kind: String, CaseIterable {
    case authors, books, reviews, tags, countries
  }

  private let kind: Kind
  private var parameters: [(String, String)] = []

  init(_ random: inout SeededRandom) {
    kind = random.one(of: Kind.allCases)
  }

  mutating func url(_ random: inout SeededRandom) -> String {
    if random.chance(15), Self.numbers(kind).count > 2 {
      group(kind, "", &random)
    } else {
      fill(kind, "", depth: 0, &random)
    }
    if random.chance(20) { parameters.append(("count", "true")) }
    let query = parameters.map { name, value in
      let allowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:!()*-_'=<>/")
      return name + "=" + (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
    }
    return "/\(kind.rawValue)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The parameters of a node and of those below.
  private mutating func fill(_ kind: Kind, _ prefix: String, depth: Int, _ random: inout SeededRandom) {
    if random.chance(50) { parameters.append((prefix + "filter", Self.condition(kind, &random))) }
    if random.chance(15) { parameters.append((prefix + "filter", Self.condition(kind, &random))) }
    if random.chance(45) {
      let terms = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        (random.chance(50) ? "-" : "") + random.one(of: Self.values(kind))
      }
      parameters.append((prefix + "sort", terms.joined(separator: ",")))
    }
    if random.chance(depth == 0 ? 40 : 30) {
      parameters.append((prefix + "limit", String(Int.random(in: 1...9, using: &random))))
      if random.chance(40) {
        parameters.append((prefix + "offset", String(Int.random(in: 0...4, using: &random))))
      }
    }
    if random.chance(25) {
      let fields = Set((0..<2).map { _ in random.one(of: Self.columns(kind)) }).sorted()
      parameters.append((prefix + "fields", fields.joined(separator: ",")))
      if random.chance(30) { parameters.append((prefix + "distinct", "true")) }
    }
    if random.chance(25) {
      parameters.append((prefix + "annotate", "x:" + random.one(of: Self.values(kind))))
    }
    guard depth < 3 else { return }
    for (key, other, isToMany) in Self.associations(kind) where random.chance(35 - 8 * depth) {
      let isRequired = random.chance(20)
      let path = prefix + key
      parameters.append((random.chance(80) ? "include" : "join", path + (isRequired ? "!" : "")))
      if isToMany, isRequired == false, Self.numbers(other).count > 2, random.chance(15) {
        group(other, path + ".", &random)
      } else if isToMany {
        fill(other, path + ".", depth: depth + 1, &random)
      } else if random.chance(30) {
        parameters.append((path + ".filter", Self.condition(other, &random)))
      }
    }
  }

  /// The parameters of a node whose rows are groups, in an order of their own.
  private mutating func group(_ kind: Kind, _ prefix: String, _ random: inout SeededRandom) {
    let key = random.one(of: Self.values(kind))
    let number = random.one(of: Self.numbers(kind))
    func add(_ name: String, _ value: String) { parameters.append((prefix + name, value)) }
    // Valid only if it is the same in each group.
    let other = random.chance(20) ? ",o:\(random.one(of: Self.values(kind)))" : ""
    add("fields", "k:\(key),n:count(),a:max(\(number)),b:sum(\(number)),c:count(distinct \(number))\(other)")
    add("group", random.chance(20) ? "\(key),\(Self.columns(kind)[0])" : key)
    if random.chance(40) {
      let limit = Int.random(in: 0...5, using: &random)
      add(
        "having", random.one(of: ["count()>\(limit)", "\(key) is not null", "n>\(limit) or \(key) is null"]))
    }
    if random.chance(40) { add("sort", random.one(of: ["-count()", "n", "-a", "-\(key)", "-k"])) }
    if random.chance(50) { add("filter", Self.condition(kind, &random)) }
    if random.chance(40) { add("limit", String(Int.random(in: 1...3, using: &random))) }
  }

  private static func associations(_ kind: Kind) -> [(String, Kind, Bool)] {
    switch kind {
    case .authors: [("books", .books, true), ("country", .countries, false)]
    case .books: [("author", .authors, false), ("reviews", .reviews, true), ("tags", .tags, true)]
    case .reviews: [("book", .books, false)]
    case .tags: [("books", .books, true)]
    case .countries: [("authors", .authors, true)]
    }
  }

  private static func columns(_ kind: Kind) -> [String] {
    switch kind {
    case .authors: ["id", "name", "country_code", "born", "mentor_id"]
    case .books: ["id", "author_id", "title", "kind", "year", "price"]
    case .reviews: ["id", "book_id", "rating"]
    case .tags: ["id", "name"]
    case .countries: ["code", "name"]
    }
  }

  private static func numbers(_ kind: Kind) -> [String] {
    switch kind {
    case .authors: ["id", "born", "books.count", "ifnull(born,0)%7", "country.authors.count"]
    case .books:
      ["id", "year", "year/100", "price*4", "reviews.count", "ifnull(author.born,1)", "reviews.max(rating)"]
    case .reviews: ["id", "rating", "book.year", "rating*2-1", "book.author.born"]
    case .tags: ["id", "books.count"]
    case .countries: ["authors.count", "length(code)"]
    }
  }

  private static func texts(_ kind: Kind) -> [String] {
    switch kind {
    case .authors: ["name", "country_code", "country.name", "substr(name,1,2)", "upper(name)"]
    case .books: ["title", "kind", "author.name", "coalesce(kind,'none')", "author.country.code"]
    case .reviews: ["book.title", "book.author.name"]
    case .tags: ["name"]
    case .countries: ["code", "name", "lower(name)||'x'"]
    }
  }

  private static func values(_ kind: Kind) -> [String] { numbers(kind) + texts(kind) }

  private static func condition(_ kind: Kind, _ random: inout SeededRandom, depth: Int = 0) -> String {
    if depth < 2, random.chance(25) {
      let (left, right) = (
        condition(kind, &random, depth: depth + 1), condition(kind, &random, depth: depth + 1)
      )
      let both = "(\(left)) \(random.one(of: ["and", "or"])) (\(right))"
      return random.chance(25) ? "not (\(both))" : both
    }
    let op = random.one(of: ["=", "!=", "<", "<=", ">", ">="])
    if random.chance(60) {
      let number = random.one(of: numbers(kind))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return "\(number) is \(random.chance(50) ? "not " : "")null"
      case 1: return "\(number) in (1,2,3,1850,\(Int.random(in: 1...60, using: &random)))"
      case 2: return "\(number) between \(Int.random(in: 0...20, using: &random)) and 1900"
      case 3: return "\(number) \(op) \(random.one(of: numbers(kind)))"
      default: return "\(number) \(op) \(random.one(of: ["1", "3", "10.5", "1850", "1900"]))"
      }
    }
    let text = random.one(of: texts(kind))
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return "\(text) is \(random.chance(50) ? "not " : "")null"
    case 1:
      return "\(text) \(random.chance(30) ? "not " : "")like '%\(random.one(of: ["a", "E", "1", "nov%"]))%'"
    case 2:
      return
        "\(text) \(random.chance(30) ? "not " : "")glob '\(random.one(of: ["*[a-e]*", "?n*", "T[^1]*", "[", "*e"]))'"
    case 3: return "\(text) in ('novel','DE','Ann 1','T3')"
    default: return "\(text) \(op) '\(random.one(of: ["Ann", "DE", "T2", "essay", "m"]))'"
    }
  }
}
