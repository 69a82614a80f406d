import KindredModel
import KindredSQLite
import KindredSQLiteBackend
import Testing

@testable import KindredModelFile

@Suite("Guessing foreign keys")
struct GuessTests {
  /// Returns what is proposed for a database.
  private func guessed(_ sql: String) throws -> String {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute(sql)
    let source = try ConnectionSchema(connection)
    let text = GuessRenderer().text(
      of: try ForeignKeyGuesses(Model(inferredFrom: try source.schema()), of: source))
    // What is printed is a model file as it stands.
    _ = try ModelFileParser(path: "model.yaml").parse(text).model(of: source)
    return text.split(separator: "\n").dropFirst(2).joined(separator: "\n")
  }

  @Test
  func `the names propose, and the values decide`() throws {
    #expect(
      try guessed(
        """
        CREATE TABLE users (Id INTEGER PRIMARY KEY); CREATE TABLE author (id INTEGER PRIMARY KEY);
        CREATE TABLE publisher (id INTEGER PRIMARY KEY); CREATE TABLE catalogue (sku TEXT PRIMARY KEY);
        CREATE TABLE country (code TEXT PRIMARY KEY); CREATE TABLE note (id INTEGER PRIMARY KEY);
        CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER, OwnerUserId INTEGER, publisher INTEGER, sku TEXT,
          parent_id INTEGER, code TEXT, note_id TEXT, lastUserId INTEGER, weight INTEGER);
        CREATE INDEX bookOnAuthor ON book (author_id);
        INSERT INTO users VALUES (10), (20); INSERT INTO author VALUES (1), (2); INSERT INTO publisher VALUES (7);
        INSERT INTO catalogue VALUES ('s'); INSERT INTO country VALUES ('FR');
        INSERT INTO book VALUES (1, 1, 10, 7, 's', NULL, 'FR', '1', 10, 5), (2, 2, 20, 7, NULL, 1, 'FR', NULL, 55, 6);
        """) == """
          resources:
            books:
              foreignKeys:
                author_id: authors  # 2 of 2 values found; indexed
                OwnerUserId: users  # 2 of 2 values found; no index
                publisher: publishers  # 1 of 1 values found; no index
                sku: catalogues  # 1 of 1 values found; no index
                parent_id: books  # 1 of 1 values found; no index
                # note_id: notes  # TEXT here, INTEGER there; no index
                # lastUserId: users  # 1 of 2 values found; no index
          """)
  }

  @Test
  func `only a table's whole name does without values, and prefixes that three tables share are left out`()
    throws
  {
    #expect(
      try guessed(
        """
        CREATE TABLE crm_clients (id INTEGER PRIMARY KEY);
        CREATE TABLE crm_orders (id INTEGER PRIMARY KEY, client_id INTEGER, lastClientId INTEGER);
        CREATE TABLE crm_notes (id INTEGER PRIMARY KEY, order_uuid INTEGER);
        CREATE TABLE tblStaff (StaffID INTEGER PRIMARY KEY);
        CREATE TABLE tblVisit (VisitID INTEGER PRIMARY KEY, StaffID INTEGER);
        CREATE TABLE x_ship (id INTEGER PRIMARY KEY); CREATE TABLE x_trip (id INTEGER PRIMARY KEY, ship_id INTEGER);
        """) == """
          resources:
            crmOrders:
              foreignKeys:
                client_id: crmClients  # no values; no index
                # lastClientId: crmClients  # no values; no index
            crmNotes:
              foreignKeys:
                order_uuid: crmOrders  # no values; no index
            tblVisits:
              foreignKeys:
                StaffID: tblStaffs  # no values; no index
          """)
  }

  @Test
  func `what is declared isn't proposed, nor a key to itself`() throws {
    #expect(
      try guessed(
        """
        CREATE TABLE author (author_id INTEGER PRIMARY KEY);
        CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author);
        """) == "resources: {}")
  }
}
