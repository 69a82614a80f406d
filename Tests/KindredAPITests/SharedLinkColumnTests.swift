import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("A join table whose foreign keys share a column, as those of a tenant's records do")
struct SharedLinkColumnTests {
  let database: TestDatabase

  init() throws {
    database = try .writable(
      """
      CREATE TABLE task(tenantId INTEGER, id INTEGER, PRIMARY KEY (tenantId, id));
      CREATE TABLE label(tenantId INTEGER, id INTEGER, PRIMARY KEY (tenantId, id));
      CREATE TABLE taskLabel(
        tenantId INTEGER, taskId INTEGER, labelId INTEGER, PRIMARY KEY (tenantId, taskId, labelId),
        FOREIGN KEY (tenantId, taskId) REFERENCES task, FOREIGN KEY (tenantId, labelId) REFERENCES label);
      INSERT INTO task VALUES (3, 1), (4, 1);
      INSERT INTO label VALUES (3, 7), (4, 7);
      """)
  }

  private func links() throws -> String { try database.stored("SELECT * FROM taskLabel") }

  @Test
  func `links and unlinks records that agree in it, with the value once`() throws {
    #expect(try database.send(.put, "/tasks/3,1/labels/3,7", nil).status == 204)
    #expect(try links() == "3|1|7")
    #expect(try database.send(.put, "/tasks/3,1/labels/3,7", nil).status == 204)
    #expect(try database.send(.delete, "/tasks/3,1/labels/3,7", nil).status == 204)
    #expect(try links() == "")
  }

  @Test
  func `refuses to link records that differ in it, and names it`() throws {
    let answer = try database.send(.put, "/tasks/3,1/labels/4,7", nil)
    #expect(answer.status == 409)
    #expect(answer.text.contains("the records can't be linked: they differ in `tenantId`"))
    #expect(try links() == "")
  }
}
