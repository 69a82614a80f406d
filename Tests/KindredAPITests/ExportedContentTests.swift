import KindredHTTP
import KindredModel
import KindredSQLite
import Testing

@testable import KindredAPI

/// What a GET of all records returns, added to an empty copy of the database.
@Suite("What is exported")
struct ExportedContentTests {
  /// Tables that refer to themselves, with keys of several columns, in rings, and with values of all kinds.
  private static let tables = """
    CREATE TABLE worker (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, bossId INTEGER REFERENCES worker(id), born DATE, paid DECIMAL(10,2),
      photo BLOB);
    CREATE TABLE cell (
      line INTEGER NOT NULL, place INTEGER NOT NULL, upLine INTEGER, upPlace INTEGER, PRIMARY KEY (line, place),
      FOREIGN KEY (upLine, upPlace) REFERENCES cell(line, place));
    CREATE TABLE ring (code TEXT PRIMARY KEY, nextCode TEXT NOT NULL REFERENCES ring(code)) WITHOUT ROWID;
    CREATE TABLE reading (
      id INTEGER PRIMARY KEY, value REAL, at DATETIME, isValid BOOLEAN, meta JSON, loose,
      twice REAL AS (value * 2) VIRTUAL);
    CREATE TABLE log (level TEXT, body TEXT);
    CREATE TABLE lone (word TEXT);
    """

  private static let records = """
    INSERT INTO worker VALUES
      (1, 'Nan', 2, '1985-02-03', 10.5, x'00FF'), (2, 'Andy "A", Jr.', NULL, NULL, NULL, x''),
      (3, 'two' || char(13, 10) || 'lines', 1, '-0044-03-15', 0.1, NULL), (7, '', 2, 'never', -1, x'61');
    INSERT INTO cell VALUES (1, 1, 2, 2), (2, 2, NULL, NULL), (2, 1, 1, 1);
    INSERT INTO ring VALUES ('a', 'b'), ('b', 'c'), ('c', 'a');
    INSERT INTO reading (value, at, isValid, meta, loose) VALUES
      (1.5, '2024-01-02T03:04:05.678Z', 1, '{"a":[1,null],"ü":"x"}', 'x'), (-1e300, 0, 0, '[]', '007'),
      (1e999, NULL, NULL, '"t"', NULL), (9007199254740993, 1700000000, 1, NULL, 'true');
    INSERT INTO log VALUES ('info', 'a'), ('info', 'a'), (NULL, 'b');
    INSERT INTO lone VALUES ('a'), (NULL), ('');
    """

  @Test(arguments: ["application/json", "application/x-ndjson", "text/csv"])
  func `every table is imported into an empty copy, which then exports the same`(type: String) throws {
    for (tables, records) in [(Self.tables, Self.records), (Library.schema, Library.records)] {
      let original = try TestDatabase.writable(tables + records)
      let copy = try TestDatabase.writable(tables)
      // A table is declared after the tables that it refers to.
      let resources = try original.model.resources.values.filter { $0.table.kind == .table }
      #expect(resources.count > 5)
      for resource in resources {
        let target = "/\(resource.name)?limit=1000"
        let exported = try original.get(target, headers: ["Accept": type]).text
        let answer = try copy.send(.post, "/\(resource.name)", exported, headers: ["Content-Type": type])
        #expect(answer.status == 201, "\(resource.name) as \(type): \(answer.text)")
        #expect(
          try copy.get(target, headers: ["Accept": type]).text == exported, "\(resource.name) as \(type)")
      }
    }
  }
}
