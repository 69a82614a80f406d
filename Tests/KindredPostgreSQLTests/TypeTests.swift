import KindredAPI
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredModelFile
import KindredSQLSyntax
import Testing

/// Columns of types that behave differently from others.
@Suite(.enabled(if: Cluster.isAvailable))
struct TypeTests {
  private static let thing = [
    """
    CREATE TABLE thing (
      id int PRIMARY KEY, doc json, docb jsonb, place point, data bytea, price money, day date, seen timestamptz,
      size numeric, weight real, number oid)
    """,
    """
    INSERT INTO thing SELECT i, json_build_object('n', i), jsonb_build_object('n', i), point(i, 1),
      decode(lpad(to_hex(250 + i), 4, '0'), 'hex'), i * 1.5, date '2024-01-01' + i, timestamptz '2024-01-01Z' + i * interval '1 day'
    FROM generate_series(1, 5) i
    """,
    "UPDATE thing SET number = (16384 + id)::oid",
    "CREATE VIEW shown AS SELECT doc, place, id FROM thing",
  ]

  private func ids(_ served: Served, from first: String) -> String {
    var url: String? = first
    var ids: [String] = []
    while let next = url, ids.count < 10 {
      let response = served.get(next)
      let text = response.body.text
      ids += text.matches(of: #/"id":(\d+)/#).map { String($0.1) }
      if response.status != .ok { return text }
      url = response.headers["Link"].flatMap { link in
        link.split(separator: ",").first { $0.contains("rel=\"next\"") }
          .flatMap { $0.split(separator: "<").last?.split(separator: ">").first }.map(String.init)
      }
    }
    return ids.sorted().joined(separator: " ")
  }

  @Test(arguments: [
    "/showns?limit=2", "/things?fields=id&sort=doc&limit=2", "/things?fields=id&sort=-place&limit=2",
  ])
  func `what has no order of its own is sorted by its text`(url: String) throws {
    #expect(try ids(Served(contentsOf: Self.thing), from: url) == "1 2 3 4 5")
  }

  @Test(arguments: [
    (#"/things?fields=id&doc=%7B%22n%22:3%7D"#, #"[{"id":3}]"#),
    ("/things?fields=v:max(data)", #"[{"v":"AP8="}]"#),
    ("/things?fields=v:sum(price)", #"[{"v":22.50}]"#),
    ("/things?fields=id&filter=price>6", #"[{"id":5}]"#),
    ("/things?fields=id&filter=3=price", #"[{"id":2}]"#),
    ("/things?fields=id&filter=price between id and size", "[]"),
    ("/things?fields=id&filter=number=16385", #"[{"id":1}]"#),
    ("/things?fields=v:number-id&filter=number in (16386,7)", #"[{"v":16384}]"#),
    ("/things?fields=id&filter=price='$3.00'", #"[{"id":2}]"#),
    ("/things?fields=v:coalesce(doc,'{}')&limit=1", #"[{"v":{"n" : 1}}]"#),
    ("/things?fields=id&filter=coalesce(docb,0) is not null&limit=1", #"[{"id":1}]"#),
    ("/things?fields=v:count(distinct doc)", #"[{"v":5}]"#),
    ("/things?fields=v:count(distinct docb)", #"[{"v":5}]"#),
    ("/things?fields=id&filter=day<date('2024-01-03')", #"[{"id":1}]"#),
    ("/things?fields=id&filter=datetime('2024-01-05T12:00')<seen", #"[{"id":5}]"#),
  ])
  func `functions take every type`(url: String, expected: String) throws {
    #expect(
      try Served(contentsOf: Self.thing).text(url).replacing(" : ", with: ":")
        == expected.replacing(" : ", with: ":"))
  }

  @Test
  func `an import takes the infinities that are written`() throws {
    let served = try Served(contentsOf: Self.thing, isWritable: true)
    #expect(served.send(.post, "/things", "id,size,weight\n9,9e999,-9e999", of: "text/csv").hasPrefix("20"))
    #expect(served.send(.post, "/things", "id,size\n8,NaN", of: "text/csv").hasPrefix("20"))
    #expect(served.text("/things?fields=size&id=8&format=csv").contains("NaN"))
    #expect(served.text("/things/9?fields=size,weight") == #"{"size":9e999,"weight":-9e999}"#)
    #expect(served.text("/things?fields=id&size=9e999&weight=-9e999") == #"[{"id":9}]"#)
    #expect(served.text("/things?fields=id&size=1.5&weight=-9e999") == "[]")
    #expect(served.text("/things?fields=id&size=9e999&weight=-9e999&id=9") == #"[{"id":9}]"#)
  }

  @Test
  func `arrays can be foreign keys`() throws {
    let served = try Served(
      "CREATE TABLE parent (k int[] PRIMARY KEY)",
      "CREATE TABLE child (id int PRIMARY KEY, k int[] REFERENCES parent)",
      "INSERT INTO parent VALUES ('{1,2}'), ('{3}')", "INSERT INTO child VALUES (1, '{1,2}'), (2, '{3}')")
    #expect(
      served.text("/parents?include=children&children.values=id").replacing(" ", with: "")
        == #"[{"k":[1,2],"children":[1]},{"k":[3],"children":[2]}]"#)
  }

  @Test
  func `a claim that its column can't have equals nothing, and a text is greater than every number`() throws {
    let rules = """
      resources:
        notes:
          access:
            read: { rows: active or owner = auth.sub or size < auth.q or mood = auth.sub }
      """
    let file = try ModelFileParser(path: "model.yaml").parse(rules)
    let id = "0195c2f8-0000-7000-8000-000000000001"
    let served = try Served(
      contentsOf: [
        "CREATE TYPE mood AS ENUM ('glad', 'sad')",
        "CREATE TABLE note (id int PRIMARY KEY, active bool, owner uuid, size int, mood mood)",
        "INSERT INTO note VALUES (1, true, NULL, NULL, NULL), (2, false, '\(id)', 9, NULL), (3, false, NULL, 5, 'sad')",
      ],
      configure: { options in
        var access = AccessConfiguration()
        access.keys = [
          .init(key: "a", roles: [], claims: ["sub": .text("x"), "q": .text("many")]),
          .init(key: "b", roles: [], claims: ["sub": .text(id.uppercased())]),
          .init(key: "c", roles: [], claims: ["sub": .text("sad"), "q": .integer(1)]),
          .init(key: "d", roles: [], claims: ["sub": .integer(5), "q": .real(5.5)]),
        ]
        options.access = access
      }, model: { try file.model(of: $0) })
    for (key, ids) in [("a", [1, 2, 3]), ("b", [1, 2]), ("c", [1, 3]), ("d", [1, 3])] {
      let expected = "[\(ids.map { "{\"id\":\($0)}" }.joined(separator: ","))]"
      #expect(
        served.text("/notes?fields=id", headers: ["Authorization": "Bearer \(key)"]) == expected, "\(key)")
    }
  }

  @Test
  func `a key of texts and one of another type are compared as texts`() throws {
    let file = try ModelFileParser(path: "model.yaml").parse(
      """
      resources:
        authors: { associations: { books: { hasMany: books, foreignKey: { author: id } } } }
        books: { associations: { writer: { belongsTo: authors, foreignKey: { author: id } } } }
      """)
    let served = try Served(
      contentsOf: [
        "CREATE TABLE author (id int PRIMARY KEY)", "CREATE TABLE book (id int PRIMARY KEY, author text)",
        "INSERT INTO author VALUES (1), (2)",
        "INSERT INTO book VALUES (1, '1'), (2, '2'), (3, '1'), (4, 'x')",
      ], model: { try file.model(of: $0) })
    #expect(
      served.text("/authors?include=books&books.values=id&books.limit=1&annotate=n:books.count")
        == #"[{"id":1,"n":2,"books":[1]},{"id":2,"n":1,"books":[2]}]"#)
    #expect(
      served.text("/books?fields=id&include=writer&writer.values=id&sort=-writer.id")
        == #"[{"id":2,"writer":2},{"id":1,"writer":1},{"id":3,"writer":1},{"id":4,"writer":null}]"#)
    #expect(served.text("/authors/1/books?fields=id") == #"[{"id":1},{"id":3}]"#)
    #expect(served.text("/authors?fields=id&join=books!&books.filter=id=3") == #"[{"id":1}]"#)
  }

  @Test(arguments: [
    ("{ hasMany: notes, foreignKey: { day: id } }", "operator does not exist"),
    ("{ hasMany: notes, foreignKey: { mood: id } }", "operator does not exist"),
    ("{ hasOne: counts, foreignKey: { n: seen } }", "operator does not exist"),
    ("{ hasMany: notes, foreignKey: { mood: name } }", nil),
    ("{ hasOne: counts, foreignKey: { name: id } }", nil),
    ("{ hasMany: notes, foreignKey: { day: seen } }", nil),
    ("{ hasMany: notes, foreignKey: { size: id } }", nil),
  ])
  func `an association between columns that can't be compared is an error of the model file`(
    definition: String, message: String?
  ) throws {
    let file = try ModelFileParser(path: "model.yaml").parse(
      """
      commonTableExpressions:
        counts:
          sql: SELECT name, count(*) AS n FROM note GROUP BY name
      resources:
        authors:
          associations:
            odd: \(definition)
      """)
    let schema = [
      "CREATE TYPE mood AS ENUM ('glad', 'sad')",
      "CREATE TABLE author (id int PRIMARY KEY, name text, seen timestamptz)",
      "CREATE TABLE note (id int PRIMARY KEY, name text, mood mood, day date, size numeric)",
    ]
    guard let message else {
      let served = try Served(contentsOf: schema, model: { try file.model(of: $0) })
      #expect(served.text("/authors?include=odd") == "[]")
      return
    }
    let error = try #require(throws: ModelFileError.self) {
      _ = try Served(contentsOf: schema, model: { try file.model(of: $0) })
    }
    #expect("\(error)".contains(message) && "\(error)".contains("model.yaml:7"), "\(error)")
  }
}
