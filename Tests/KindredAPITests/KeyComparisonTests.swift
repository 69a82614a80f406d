import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("A foreign key matches as the database compares it, at every place alike")
struct KeyComparisonTests {
  /// Countries whose key ignores case, and records that refer to them with the same collation or as bytes.
  private static let nocase = """
    CREATE TABLE country (code TEXT COLLATE NOCASE PRIMARY KEY, name TEXT);
    CREATE TABLE city (id INTEGER PRIMARY KEY, countryCode TEXT COLLATE NOCASE REFERENCES country(code));
    CREATE TABLE river (id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country(code));
    CREATE TABLE flow (riverId INTEGER REFERENCES river(id), countryCode TEXT REFERENCES country(code),
      length INTEGER, PRIMARY KEY (riverId, countryCode)) WITHOUT ROWID;
    INSERT INTO country VALUES ('FR', 'France'), ('it', 'Italy');
    INSERT INTO city VALUES (1, 'fr'), (2, 'FR'), (3, 'IT'), (4, NULL);
    INSERT INTO river VALUES (1, 'fr'), (2, 'FR'), (3, 'It'), (4, NULL);
    INSERT INTO flow VALUES (1, 'fr', 5), (1, 'IT', 6), (2, 'FR', 7);
    """

  private static let indexes = [
    "", "CREATE INDEX byBytes ON river (countryCode)", "CREATE INDEX i ON river (countryCode COLLATE NOCASE)",
  ]

  @Test(arguments: indexes)
  func `by the collation of the column referred to, whatever indexes there are`(index: String) throws {
    let database = try TestDatabase(Self.nocase + index)
    try expectRequest(
      "/countries?fields=code&include=rivers,cities&rivers.values=id&cities.values=id&annotate=riverCount,cityCount",
      on: database,
      json: """
        [{"code":"FR","riverCount":2,"cityCount":2,"rivers":[1,2],"cities":[1,2]},
        {"code":"it","riverCount":1,"cityCount":1,"rivers":[3],"cities":[3]}]
        """)
    try expectRequest("/countries/fr/rivers?fields=id", on: database, json: #"[{"id":1},{"id":2}]"#)
    try expectRequest(
      "/rivers?fields=id&include=country!&country.values=code&filter=country.name<'G'", on: database,
      json: #"[{"id":1,"country":"FR"},{"id":2,"country":"FR"}]"#)
    try expectRequest(
      "/countries?fields=code&having=rivers.isEmpty", on: database, json: "[]")
    try expectRequest(
      "/countries?fields=code&filter=riverCount>0&sort=-riverCount&limit=1&annotate=n:rivers.max(id)",
      on: database,
      json: #"[{"code":"FR","n":2}]"#)
  }

  @Test
  func `through a join table, both ways`() throws {
    let database = try TestDatabase(Self.nocase)
    try expectRequest(
      "/countries?fields=code&include=r:riversViaFlow&r.fields=id,n:via.length&annotate=n:riversViaFlow.count",
      on: database,
      json: """
        [{"code":"FR","n":2,"r":[{"id":1,"n":5},{"id":2,"n":7}]},{"code":"it","n":1,"r":[{"id":1,"n":6}]}]
        """)
    try expectRequest(
      "/rivers?fields=id&include=countries&countries.values=code&filter=id<3", on: database,
      json: #"[{"id":1,"countries":["FR","it"]},{"id":2,"countries":["FR"]}]"#)
  }

  @Test
  func `an index of the collation is used, and proposed where there is none`() throws {
    let target = "/countries?fields=code&include=rivers&rivers.fields=id"
    #expect(
      try TestDatabase(Self.nocase).get(target + "&explain=true").text.contains(
        #"CREATE INDEX \"river_on_countryCode\" ON \"river\" (\"countryCode\" COLLATE \"NOCASE\")"#))
    try expectRequest(
      target, on: TestDatabase(Self.nocase + Self.indexes[2]),
      sql: #"""
        SELECT "country"."code", "country"."rowid" FROM "country" ORDER BY "country"."code", \#
        "country"."rowid" LIMIT ?1 + ?2
        SELECT "river"."id" FROM "river" WHERE "river"."countryCode" COLLATE "NOCASE" = ?1 ORDER BY "river"."id"
        """#,
      json: #"[{"code":"FR","rivers":[{"id":1},{"id":2}]},{"code":"it","rivers":[{"id":3}]}]"#)
  }

  @Test(arguments: [
    // A number, and texts that look like it.
    ("INTEGER", "", "1, '1', 1.0, '01', x'31', 'x', NULL", [1, 2, 3, 4]),
    ("INTEGER", "BLOB", "'1', '1.0', 'x', 2", [1, 2]),
    ("INTEGER", "TEXT", "1, '1.0', '01', 'x'", [1, 2, 3]),
    ("REAL", "TEXT", "'1', '1.0', '1.5'", [1, 2]),
    // A text, and numbers that are written like it.
    ("TEXT", "INTEGER", "1, '01', 1.5", [1, 2]),
    ("TEXT", "", "1, '1', '01', 1.0, x'31'", [1, 2]),
    ("TEXT", "REAL", "1", []),
    // Without a type, values aren't converted.
    ("", "INTEGER", "1, '1', 2", [1, 2]),
    ("", "TEXT", "1, '1'", []),
  ])
  func `by the affinity of the column referred to`(
    referred: String, referring: String, values: String, matches: [Int]
  ) throws {
    let rows = values.split(separator: ", ").enumerated().map { "(\($0 + 1), \($1))" }.joined(separator: ", ")
    for index in ["", "CREATE INDEX i ON book (authorId)"] {
      let database = try TestDatabase(
        """
        CREATE TABLE author (id \(referred) PRIMARY KEY);
        CREATE TABLE book (id INTEGER PRIMARY KEY, authorId \(referring) REFERENCES author(id));
        PRAGMA foreign_keys = OFF;
        INSERT INTO author VALUES (1), (2);
        INSERT INTO book VALUES \(rows);
        \(index)
        """)
      let list = "[\(matches.map(String.init).joined(separator: ","))]"
      let key = referred == "TEXT" ? "\"1\"" : referred == "REAL" ? "1.0" : "1"
      try expectRequest(
        "/authors?fields=id&include=books&books.values=id&annotate=bookCount&limit=1", on: database,
        json: #"[{"id":\#(key),"bookCount":\#(matches.count),"books":\#(list)}]"#)
      try expectRequest(
        "/authors/\(referred == "REAL" ? "1.0" : "1")/books?fields=id", on: database,
        json: "[\(matches.map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
      let found = try database.get("/books?fields=id&filter=author.id=\(referred == "TEXT" ? "'1'" : "1")")
        .text
      #expect(found == "[\(matches.map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
    }
  }

  @Test
  func `where no index can find what refers, explain says so`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId REFERENCES author(id));
      CREATE INDEX i ON book (authorId);
      """)
    let text = try database.get("/authors?include=books&explain=true").text
    #expect(text.contains("book.authorId (no type) refers to author.id (INTEGER): no index can be used"))
    #expect(text.contains(#""missingIndexes":[]"#))
  }

  @Test
  func `a foreign key that is unique by its own collation may lead to several all the same`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE country (code TEXT COLLATE NOCASE PRIMARY KEY);
      CREATE TABLE figure (id INTEGER PRIMARY KEY, countryCode TEXT UNIQUE REFERENCES country(code), n INTEGER);
      INSERT INTO country VALUES ('FR'), ('IT');
      INSERT INTO figure VALUES (5, 'fr', 1), (7, 'FR', 2);
      """)
    try expectRequest(
      "/countries?include=figure&figure.values=id&count=true&sort=figure.n", on: database,
      json: #"[{"code":"IT","figure":null},{"code":"FR","figure":5}]"#)
  }

  @Test
  func `columns of a view compare as what they show does`() throws {
    let database = try TestDatabase(
      Self.nocase + "CREATE VIEW place AS SELECT code, name, upper(name) AS loud FROM country;",
      modelFile: """
        resources:
          places:
            associations:
              rivers: { hasMany: rivers, foreignKey: { countryCode: code } }
          rivers:
            associations:
              place: { belongsTo: places, foreignKey: { countryCode: code } }
        """)
    try expectRequest(
      "/places?fields=code&include=rivers&rivers.values=id&annotate=riverCount", on: database,
      json: #"[{"code":"FR","riverCount":2,"rivers":[1,2]},{"code":"it","riverCount":1,"rivers":[3]}]"#)
    try expectRequest(
      "/rivers?fields=id&include=place&place.values=loud", on: database,
      json: """
        [{"id":1,"place":"FRANCE"},{"id":2,"place":"FRANCE"},{"id":3,"place":"ITALY"},{"id":4,"place":null}]
        """)
    try expectRequest("/rivers/3/place?fields=loud", on: database, json: #"{"loud":"ITALY"}"#)
  }

  @Test
  func `a link that is stored in another spelling is there already, and can be taken away`() throws {
    let database = try TestDatabase.writable(
      Self.nocase + """
        CREATE TABLE tag (id INTEGER PRIMARY KEY);
        CREATE TABLE marking (riverId REFERENCES river(id), tagId INTEGER REFERENCES tag(id),
          PRIMARY KEY (riverId, tagId));
        INSERT INTO tag VALUES (1);
        INSERT INTO marking VALUES ('2', 1);
        """)
    try expectWrite(
      .put, "/rivers/1/countries/FR", on: database, status: 204,
      stored: ("SELECT countryCode FROM flow WHERE riverId = 1 ORDER BY 1", "IT; fr"))
    try expectWrite(
      .delete, "/rivers/1/countries/FR", on: database, status: 204,
      stored: ("SELECT countryCode FROM flow WHERE riverId = 1", "IT"))
    try expectWrite(
      .put, "/rivers/2/tags/1", on: database, status: 204,
      stored: ("SELECT riverId, tagId FROM marking", "2|1"))
    try expectWrite(
      .delete, "/rivers/2/tags/1", on: database, status: 204, stored: ("SELECT COUNT(*) FROM marking", "0"))
  }
}
