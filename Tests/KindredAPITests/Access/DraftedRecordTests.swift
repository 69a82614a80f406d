import KindredHTTP
import Testing

@testable import KindredAPI

/// A record that conflicts with another one is tested as if it had been stored, so that the answer to a client who may
/// not store it is the same with and without the conflict.
@Suite("The record that could not be stored, under access rules")
struct DraftedRecordTests {
  private static let schema = """
    CREATE TABLE item (
      id INTEGER PRIMARY KEY, tenantId INTEGER, name TEXT UNIQUE, day DATE, level INTEGER DEFAULT '1',
      code TEXT COLLATE NOCASE DEFAULT 'A', made DATETIME DEFAULT CURRENT_TIMESTAMP,
      "of, all" INTEGER AS (tenantId -- (the owner), as it is
      ) STORED, loud TEXT COLLATE NOCASE GENERATED ALWAYS AS (upper(name) || ':(' || "of, all"), CHECK (id > 0));
    INSERT INTO item (id, tenantId, name) VALUES (1, 1, 'mine'), (2, 2, 'theirs');
    """

  private func status(
    _ method: HTTPMethod, _ target: String, _ content: String, under rule: String
  ) throws -> Int {
    let model = """
      resources:
        items: { access: { read: { rows: tenantId = 1 }, write: { rows: '\(rule.replacing("'", with: "''"))' } } }
      """
    return try TestDatabase.writable(Self.schema, modelFile: model).send(method, target, content).status
  }

  @Test(arguments: [
    #""of, all" = 1"#, "loud = '?:(1' or loud like '%:(1'", "level <> 1", "code <> 'a'", "made < '2000'",
    "tenantId = 1 and level = 0", "day = 0",
  ])
  func `a record that the rule forbids is 401 without credentials, whether its key is free or taken`(
    rule: String
  ) throws {
    for name in ["fresh", "theirs", "mine"] {
      let content = #"{"tenantId":2,"name":"\#(name)","day":"soon"}"#
      #expect(try status(.post, "/items", content, under: rule) == 401, "\(name)")
    }
    let changed = #"{"tenantId":2,"day":"soon","name":"#
    for name in ["fresh", "theirs"] {
      #expect(try status(.patch, "/items/1", "\(changed)\"\(name)\"}", under: rule) == 401, "\(name)")
    }
  }

  @Test(arguments: [
    #""of, all" = 1"#, #""of, all" = '1'"#, "loud like '%:(1'", "loud = 'theirs:(1'", "level = 1",
    "code = 'a'",
    "made > '2000'", "tenantId = '1' and level = 1", "day = 'soon'", "day > 5",
  ])
  func `a record that the rule allows is 409 if its key is taken`(rule: String) throws {
    let content = #"{"tenantId":1,"name":"theirs","day":"soon"}"#
    #expect(try status(.post, "/items", content, under: rule) == 409)
  }
}
