import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLite
import OrderedCollections
import Testing

@testable import KindredSQLiteBackend

@Suite struct SchemaReaderTests {
  @Test
  func `tables and views come in the order of their creation, without SQLite's and Kindred's own`() throws {
    let schema = try schema(
      """
      CREATE TABLE zebra (id INTEGER PRIMARY KEY AUTOINCREMENT);
      CREATE VIEW everything AS SELECT * FROM zebra;
      CREATE TABLE kindred_migration (number INTEGER PRIMARY KEY, name TEXT, sha256 TEXT, appliedAt TEXT);
      CREATE TABLE kindredSpirit (id INTEGER PRIMARY KEY);
      CREATE VIRTUAL TABLE text USING fts5(body);
      CREATE VIRTUAL TABLE text4 USING fts4(body);
      CREATE VIRTUAL TABLE place USING rtree(id, west, east);
      CREATE TABLE ape (id INTEGER PRIMARY KEY);
      CREATE TABLE text_notes (id INTEGER PRIMARY KEY);
      ANALYZE;
      """)
    #expect(
      Array(schema.tables.keys) == [
        "zebra", "everything", "kindredSpirit", "text", "text4", "place", "ape", "text_notes",
      ])
    #expect(
      schema.tables.values.map(\.kind) == [
        .table, .view, .table, .virtual, .virtual, .virtual, .table, .table,
      ])
    #expect(schema.warnings == [])
  }

  @Test
  func `a column has its type, and whether it may be NULL, is computed, has a default`() throws {
    let table = try table(
      "t",
      """
      CREATE TABLE t (
        id INTEGER PRIMARY KEY, name VARCHAR(10) NOT NULL, "unit price" REAL DEFAULT 1, flag BOOLEAN NOT NULL DEFAULT 0,
        any, twice AS (id * 2), thrice GENERATED ALWAYS AS (id * 3) STORED)
      """)
    func computed(_ name: String, _ expression: SQL, isStored: Bool) -> Column {
      var column = Column(name: name, isGenerated: true)
      column.generation = expression
      column.isStored = isStored
      return column
    }
    #expect(
      table.columns == [
        Column(name: "id", declaredType: "INTEGER", isNullable: false, hasDefault: true),
        Column(name: "name", declaredType: "VARCHAR(10)", isNullable: false),
        Column(name: "unit price", declaredType: "REAL", hasDefault: true, defaultValue: "(1)"),
        Column(
          name: "flag", declaredType: "BOOLEAN", isNullable: false, hasDefault: true, defaultValue: "(0)"),
        Column(name: "any"), computed("twice", "id * 2", isStored: false),
        computed("thrice", "id * 3", isStored: true),
      ])
    #expect(table.rowIDName == "rowid")
  }

  @Test
  func `INTEGER PRIMARY KEY is an index of its own`() throws {
    let table = try table("t", "CREATE TABLE t (name TEXT, id INTEGER PRIMARY KEY)")
    #expect(table.primaryKey == [1] && table.uniqueKeys == [[1]])
    #expect(table.indexes == [Index(columns: ["id"], isUnique: true, orders: [.ascending])])
  }

  @Test
  func `a composite primary key is in key order`() throws {
    for suffix in ["", " WITHOUT ROWID"] {
      let table = try table("t", "CREATE TABLE t (a TEXT, b TEXT, c, PRIMARY KEY (b DESC, a))\(suffix)")
      #expect(table.primaryKey == [1, 0] && table.uniqueKeys == [[1, 0]])
      #expect(
        table.indexes == [Index(columns: ["b", "a"], isUnique: true, orders: [.descending, .ascending])])
      #expect(table.rowIDName == (suffix.isEmpty ? "rowid" : nil))
    }
  }

  @Test
  func `without a declared key, the rowid is the key and the first column, by a free name`() throws {
    let schema = try schema(
      """
      CREATE TABLE plain (level TEXT, message TEXT UNIQUE);
      CREATE TABLE one (RowID TEXT);
      CREATE TABLE two (rowid TEXT, _rowid_ INTEGER);
      CREATE TABLE three (rowid TEXT, _rowid_ INTEGER, oid);
      CREATE VIRTUAL TABLE text USING fts5(body);
      CREATE VIRTUAL TABLE words USING fts5vocab(text, row);
      """)
    #expect(schema.tables["plain"]?.columns.map(\.name) == ["rowid", "level", "message"])
    #expect(schema.tables["plain"]?.primaryKey == [0] && schema.tables["plain"]?.uniqueKeys == [[0], [2]])
    #expect(
      schema.tables["plain"]?.indexes == [
        Index(columns: ["rowid"], isUnique: true, orders: [.ascending]),
        Index(columns: ["message"], isUnique: true, orders: [.ascending]),
      ])
    #expect(schema.tables["one"]?.columns.map(\.name) == ["_rowid_", "RowID"])
    #expect(schema.tables["two"]?.columns.map(\.name) == ["oid", "rowid", "_rowid_"])
    #expect(schema.tables["three"]?.columns.map(\.name) == ["rowid", "_rowid_", "oid"])
    #expect(schema.tables["three"]?.primaryKey == [] && schema.tables["three"]?.rowIDName == nil)
    #expect(schema.tables["text"]?.columns.map(\.name) == ["rowid", "body"])
    #expect(schema.tables["text"]?.primaryKey == [0])
    #expect(schema.tables["words"]?.columns.map(\.name) == ["rowid", "term", "doc", "cnt"])
    #expect(schema.warnings == ["the table three has no key that identifies its records"])
  }

  @Test
  func `a view that isn't plain has no key`() throws {
    let table = try table(
      "v", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE VIEW v AS SELECT DISTINCT * FROM t")
    #expect(
      table.columns.map(\.name) == ["id", "a"] && table.columns.map(\.declaredType) == ["INTEGER", "TEXT"])
    #expect(table.primaryKey == [] && table.uniqueKeys == [] && table.rowIDName == nil)
  }

  @Test
  func `complete unique indexes are unique keys; partial ones and those over expressions are not`() throws {
    let table = try table(
      "t",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE, b, c COLLATE nocase, UNIQUE (b, a));
      CREATE UNIQUE INDEX partial ON t (b) WHERE b > 0;
      CREATE UNIQUE INDEX expression ON t (lower(b));
      CREATE UNIQUE INDEX mixed ON t (c, lower(b));
      CREATE UNIQUE INDEX coarse ON t (b COLLATE nocase);
      CREATE UNIQUE INDEX fine ON t (c COLLATE binary);
      CREATE UNIQUE INDEX own ON t (c);
      CREATE INDEX plain ON t (c, b);
      """)
    // Two records of `fine` may equal `c`, whose collation ignores case. That can't happen for `coarse` and `b`.
    #expect(table.uniqueKeys == [[0], [1], [2, 1], [2], [3]])
    #expect(
      table.indexes
        == [
          Index(columns: ["id"], isUnique: true), Index(columns: ["a"], isUnique: true),
          Index(columns: ["b", "a"], isUnique: true), Index(columns: [nil], isUnique: true),
          Index(columns: ["c", nil], isUnique: true),
          Index(columns: ["b"], collations: ["nocase"], isUnique: true),
          Index(columns: ["c"], collations: ["binary"], isUnique: true),
          Index(columns: ["c"], isUnique: true),
          Index(columns: ["c", "b"]),
        ].map(\.ascending))
  }

  @Test
  func `an index over one column, ascending, gives the records in its order and that of the rowid`() throws {
    let ordered = try table(
      "t",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b, c COLLATE nocase, d UNIQUE);
      CREATE INDEX plain ON t (a);
      CREATE INDEX descending ON t (b DESC);
      CREATE INDEX two ON t (b, a);
      CREATE INDEX partial ON t (b) WHERE b > 0;
      CREATE INDEX expression ON t (lower(b));
      CREATE INDEX other ON t (c COLLATE binary);
      """)
    #expect(
      Set(ordered.orderingIndexes) == [
        OrderingIndex(name: "plain", column: "a"), OrderingIndex(name: "sqlite_autoindex_t_1", column: "d"),
      ])
    #expect(ordered.rowIDColumn == "id")
    #expect(try table("u", "CREATE TABLE u (a TEXT PRIMARY KEY)").rowIDColumn == nil)
    #expect(try table("v", "CREATE TABLE v (a)").rowIDColumn == "rowid")
  }

  @Test
  func `an index knows where its collation is not that of the column, and finds by that one only`() throws {
    let table = try table(
      "t",
      """
      CREATE TABLE t (a, b COLLATE NoCase, c);
      CREATE INDEX i ON t (a, b COLLATE binary, c);
      CREATE INDEX j ON t (b COLLATE NOCASE, c COLLATE rtrim);
      """)
    #expect(table.columns.map(\.collation) == ["BINARY", "BINARY", "NoCase", "BINARY"])
    #expect(
      table.indexes
        == [
          Index(columns: ["rowid"], isUnique: true),
          Index(columns: ["a", "b", "c"], collations: [nil, "binary", nil]),
          Index(columns: ["b", "c"], collations: [nil, "rtrim"]),
        ].map(\.ascending))
    #expect(table.isIndexed(["a"]) && table.isIndexed(["b"]) && !table.isIndexed(["a", "b"]))
    #expect(table.isIndexed(["a", "b"], collations: ["BINARY", "BINARY"]))
    #expect(!table.isIndexed(["b", "c"]) && table.isIndexed(["b", "c"], collations: ["nocase", "RTRIM"]))
  }

  @Test
  func `the columns of a view compare as what they show does`() throws {
    let view = try table(
      "v",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b TEXT COLLATE RTRIM, c, d REAL);
      CREATE VIEW v AS SELECT *, a || b AS joined, CAST(c AS TEXT) AS text, (SELECT MAX(a) FROM t) AS last FROM t
        UNION ALL SELECT * FROM (SELECT *, 1, 2, 3 FROM t);
      """)
    #expect(
      view.columns.map(\.collation) == [
        "BINARY", "NOCASE", "RTRIM", "BINARY", "BINARY", "BINARY", "BINARY", "BINARY",
      ])
    #expect(view.columns.map(\.affinity) == [.integer, .text, .text, .blob, .real, .blob, .text, .blob])
  }

  @Test(arguments: [
    ("CREATE VIEW v AS SELECT * FROM t", true),
    ("CREATE VIEW v AS SELECT 'random() date(' AS date, random FROM t /* now() */", true),
    ("CREATE VIEW v AS SELECT Random () FROM t", false),
    ("CREATE VIEW v AS SELECT date(random) FROM t", false),
    ("CREATE VIEW v AS SELECT * FROM t WHERE random < CURRENT_DATE", false),
    ("CREATE VIEW w AS SELECT \"strftime\"('%Y'); CREATE VIEW v AS SELECT * FROM [W]", false),
    ("CREATE VIEW v AS SELECT * FROM w; CREATE VIEW w AS SELECT * FROM t", true),
    ("CREATE VIRTUAL TABLE v USING fts5(random)", true),
    ("CREATE VIRTUAL TABLE v USING dbstat", false),
  ])
  func `a view is timeless unless it, or a view that it reads, calls what is not`(
    sql: String, isTimeless: Bool
  )
    throws
  {
    #expect(
      try table("v", "CREATE TABLE t (id INTEGER PRIMARY KEY, random TEXT); " + sql).isTimeless == isTimeless)
  }

  @Test
  func `a common table expression is timeless unless what it reads is not`() throws {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute("CREATE VIEW chance AS SELECT random() AS n; CREATE TABLE t (n)")
    let tables = try CommonTableExpressionReader(connection).tables([
      CommonTableDefinition(name: "a", sql: "SELECT n FROM b"),
      CommonTableDefinition(name: "b", sql: "SELECT n FROM chance"),
      CommonTableDefinition(name: "c", sql: "SELECT n FROM t"),
      CommonTableDefinition(name: "d", sql: "SELECT datetime() AS n"),
    ])
    #expect(tables.map(\.isTimeless) == [false, false, true, false])
  }

  @Test
  func `foreign keys come in the order of their declaration, in the spelling of the tables`() throws {
    let schema = try schema(
      """
      CREATE TABLE edition (isbn TEXT, printing INTEGER, PRIMARY KEY (printing, isbn));
      CREATE TABLE Person (ID INTEGER PRIMARY KEY, email TEXT UNIQUE);
      CREATE TABLE loan (
        first REFERENCES person, second REFERENCES PERSON (id), third REFERENCES later (id),
        mail REFERENCES person (EMAIL), printing, isbn, parent REFERENCES loan (code), code UNIQUE,
        FOREIGN KEY (isbn, printing) REFERENCES edition (isbn, printing),
        FOREIGN KEY (printing, isbn) REFERENCES edition);
      CREATE TABLE later (id INTEGER PRIMARY KEY);
      """)
    #expect(
      schema.tables["loan"]?.foreignKeys == [
        ForeignKey(columns: ["first"], destination: "Person", destinationColumns: ["ID"]),
        ForeignKey(columns: ["second"], destination: "Person", destinationColumns: ["ID"]),
        ForeignKey(columns: ["third"], destination: "later", destinationColumns: ["id"]),
        ForeignKey(columns: ["mail"], destination: "Person", destinationColumns: ["email"]),
        ForeignKey(columns: ["parent"], destination: "loan", destinationColumns: ["code"]),
        ForeignKey(
          columns: ["isbn", "printing"], destination: "edition", destinationColumns: ["isbn", "printing"]),
        ForeignKey(
          columns: ["printing", "isbn"], destination: "edition", destinationColumns: ["printing", "isbn"]),
      ])
    #expect(schema.warnings == [])
  }

  @Test
  func `a foreign key that leads nowhere is left out with a warning`() throws {
    let schema = try schema(
      """
      CREATE TABLE pair (a, b, PRIMARY KEY (a, b));
      CREATE TABLE loose (a);
      CREATE VIEW v AS SELECT a FROM loose;
      CREATE TABLE t (
        a REFERENCES nowhere, b REFERENCES pair, c REFERENCES pair (x), d REFERENCES loose (a),
        e REFERENCES loose, f REFERENCES v (a), g REFERENCES loose (rowid), h REFERENCES sqlite_schema,
        FOREIGN KEY (a, b) REFERENCES pair (a, b));
      """)
    #expect(schema.tables["t"]?.foreignKeys.map(\.columns) == [["a", "b"]])
    #expect(
      schema.warnings == [
        "the foreign key of t on a is ignored: there is no table nowhere",
        "the foreign key of t on b is ignored: pair has no primary key of one column",
        "the foreign key of t on c is ignored: pair has no column x",
        "the foreign key of t on d is ignored: a of loose is not unique",
        "the foreign key of t on e is ignored: loose has no primary key of one column",
        "the foreign key of t on f is ignored: a of v is not unique",
        "the foreign key of t on g is ignored: loose has no column rowid",
        "the foreign key of t on h is ignored: there is no table sqlite_schema",
      ])
  }

  @Test
  func `a view that no longer works is left out with a warning`() throws {
    let schema = try schema(
      """
      CREATE TABLE gone (a); CREATE TABLE t (a);
      CREATE VIEW broken AS SELECT * FROM gone; CREATE VIEW late AS SELECT b FROM t;
      CREATE VIEW "two
      lines" AS SELECT * FROM gone; CREATE VIEW fine AS SELECT * FROM t;
      DROP TABLE gone;
      """)
    #expect(Array(schema.tables.keys) == ["t", "fine"])
    #expect(
      schema.warnings == [
        "the view broken is not served: no such table: main.gone",
        "the view late is not served: no such column: b",
        "the view two lines is not served: no such table: main.gone",
      ])
  }

  @Test
  func `names with spaces, quotes and keywords are names like others`() throws {
    let schema = try schema(
      """
      CREATE TABLE "order" ("order" INTEGER PRIMARY KEY, "group" TEXT);
      CREATE TABLE [gift-card] ([unit "price"] TEXT PRIMARY KEY, o REFERENCES "order");
      CREATE TABLE "it's % _" ("é 日本" TEXT UNIQUE);
      CREATE VIRTUAL TABLE "full ""text" USING fts5("a b");
      """)
    #expect(Array(schema.tables.keys) == ["order", "gift-card", "it's % _", "full \"text"])
    #expect(schema.tables["gift-card"]?.foreignKeys.map(\.destination) == ["order"])
    #expect(schema.tables["gift-card"]?.columns.map(\.name) == ["unit \"price\"", "o"])
    #expect(schema.tables["it's % _"]?.uniqueKeys == [[0], [1]])
    #expect(schema.tables["full \"text"]?.columns.map(\.name) == ["rowid", "a b"])
  }

  @Test
  func `the schema is that of the transaction that is open`() throws {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.writeTransaction {
      try connection.execute("CREATE TABLE t (a)")
      #expect(try SchemaReader(connection).schema().tables.count == 1)
      #expect(connection.isInTransaction)
    }
    #expect(try SchemaReader(connection).schema().tables.count == 1)
    #expect(!connection.isInTransaction)
  }

  @Test
  func `thousands of tables are read in no time`() throws {
    let sql = (0..<3000).map { number in
      "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, next REFERENCES t\(number + 1), a UNIQUE);"
    }
    let schema = try schema("BEGIN; \(sql.joined()) COMMIT")
    #expect(schema.tables.count == 3000 && schema.warnings.count == 1)
    #expect(Model(inferredFrom: schema).resources.count == 3000)
  }
}

/// Returns the schema of an empty database after running `sql`.
func schema(_ sql: String) throws -> Schema {
  let connection = try Connection(path: ":memory:", access: .readWriteCreate)
  try connection.execute(sql)
  return try SchemaReader(connection).schema()
}

/// Returns a table of the schema of an empty database after running `sql`.
func table(_ name: String, _ sql: String) throws -> Table {
  try #require(try schema(sql).tables[name])
}

extension Index.Order {
  /// The orders of SQLite, in which NULLs are the least values.
  fileprivate static let ascending = Index.Order(isDescending: false, nullsComeFirst: true)
  fileprivate static let descending = ascending.reversed
}

extension Index {
  /// The index with all of its columns in ascending order.
  fileprivate var ascending: Index {
    Index(
      columns: columns, collations: collations, isUnique: isUnique,
      orders: columns.map { _ in Order.ascending })
  }
}
