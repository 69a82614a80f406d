import KindredHTTP
import Testing

@testable import KindredAPI

/// Imports by clients that don't see all records to which theirs may refer.
@Suite("References of imports under rules")
struct ImportedReferenceTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE node (
        id INTEGER PRIMARY KEY, upId INTEGER REFERENCES node(id), hidden INTEGER NOT NULL DEFAULT 0, name TEXT);
      CREATE TABLE cell (
        line INTEGER, place INTEGER, upLine INTEGER, upPlace INTEGER, hidden INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (line, place), FOREIGN KEY (upLine, upPlace) REFERENCES cell(line, place));
      CREATE TABLE owner (id INTEGER PRIMARY KEY);
      CREATE TABLE item (
        id INTEGER PRIMARY KEY, ownerId INTEGER REFERENCES owner(id), nodeId INTEGER REFERENCES node(id));
      INSERT INTO node VALUES (9, NULL, 1, 'theirs'), (1, 9, 0, 'mine');
      INSERT INTO cell VALUES (1, 9, NULL, NULL, 1), (1, 2, NULL, NULL, 0), (1, 1, 1, 2, 0);
      """,
      modelFile: """
        access: { read: {}, write: {} }
        resources:
          nodes: { access: { read: { rows: hidden = 0 }, write: {} } }
          cells: { access: { read: { rows: hidden = 0 }, write: {} } }
        """)
  }

  private func merge(_ target: String, _ lines: String...) throws -> Answer {
    try database.send(
      .post, target, lines.joined(separator: "\n"),
      headers: ["Content-Type": "application/x-ndjson", "Prefer": "resolution=merge-duplicates"])
  }

  @Test
  func `a record keeps the reference that it has, beside lines that refer to later ones`() throws {
    let answer = try merge(
      "/nodes", #"{"id":1,"upId":9,"name":"changed"}"#, #"{"id":20,"upId":21}"#, #"{"id":21}"#)
    #expect(answer.status == 201, "\(answer.text)")
    #expect(
      try database.stored("SELECT id, upId, name FROM node WHERE id < 9 OR id = 20")
        == "1|9|changed; 20|21|NULL")
  }

  @Test(arguments: [
    ("/nodes", #"{"id":22,"upId":9}"#, ##""pointer":"#/upId""##),
    ("/nodes", #"{"id":22,"upId":99}"#, ##""pointer":"#/upId""##),
    // What the line leaves out is the stored record's.
    ("/cells", #"{"line":1,"place":1,"upPlace":9}"#, "409"),
    ("/owners", #"{"id":5,"items":[{"nodeId":9}]}"#, ##""pointer":"#/items/0/nodeId""##),
  ])
  func `a reference to a record out of sight is one to nothing, wherever it stands`(
    target: String, line: String, place: String
  ) throws {
    let before = try database.stored("SELECT * FROM cell") + database.stored("SELECT * FROM node")
    let first = target == "/cells" ? #"{"line":3,"place":3}"# : #"{"id":20}"#
    let answer = try merge(target, first, line)
    #expect(answer.status == 409 && answer.text.contains(place), "\(answer.text)")
    if place != "409" { #expect(answer.text.contains(#""line":2"#), "\(answer.text)") }
    #expect(try database.stored("SELECT * FROM cell") + database.stored("SELECT * FROM node") == before)
    #expect(try database.stored("SELECT count(*) FROM item") == "0")
  }
}
