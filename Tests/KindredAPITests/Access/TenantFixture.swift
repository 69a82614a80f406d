import KindredHTTP

@testable import KindredAPI

/// The tenants of `docs/access.md`: each of several companies sees and changes only its own records.
enum TenantFixture {
  static let schema = """
    CREATE TABLE company (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE project (
      id INTEGER PRIMARY KEY, companyId INTEGER NOT NULL REFERENCES company(id), name TEXT NOT NULL COLLATE NOCASE,
      UNIQUE (companyId, name));
    CREATE TABLE task (
      id INTEGER PRIMARY KEY, projectId INTEGER NOT NULL REFERENCES project(id), title TEXT NOT NULL);
    CREATE INDEX taskOnProject ON task(projectId);
    CREATE TABLE comment (
      id INTEGER PRIMARY KEY, taskId INTEGER NOT NULL REFERENCES task(id), text TEXT);
    CREATE INDEX commentOnTask ON comment(taskId);
    CREATE TABLE employee (
      id INTEGER PRIMARY KEY, companyId INTEGER REFERENCES company(id), name TEXT,
      managerId INTEGER REFERENCES employee(id) ON DELETE CASCADE);
    CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE "group" (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE membership (
      userId INTEGER NOT NULL REFERENCES user(id), groupId INTEGER NOT NULL REFERENCES "group"(id),
      PRIMARY KEY (userId, groupId));
    """

  static let records = """
    INSERT INTO company VALUES (3, 'Ours'), (4, 'Theirs');
    INSERT INTO project VALUES (1, 3, 'Website'), (2, 3, 'App'), (5, 4, 'Merger');
    INSERT INTO task VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (7, 5, 'd');
    INSERT INTO employee VALUES (1, 3, 'Ada', NULL), (2, 3, 'Bo', 1), (3, 3, 'Cy', 2), (4, 4, 'Di', NULL);
    INSERT INTO user VALUES (1, 'one'), (7, 'seven'), (8, 'eight');
    INSERT INTO "group" VALUES (3, 'g'), (4, 'h');
    INSERT INTO membership VALUES (7, 3), (1, 4);
    """

  static let model = """
    resources:
      companies:
        access: { read: { roles: [member], rows: id = auth.company } }
      projects:
        access:
          read: { roles: [member], rows: companyId = auth.company }
          write: { roles: [member], rows: companyId = auth.company }
      tasks:
        access:
          read: { roles: [member], rows: project.companyId = auth.company }
          write: { roles: [member], rows: project.companyId = auth.company }
      comments:
        access:
          read: { roles: [member], rows: task.project.companyId = auth.company }
          write: { roles: [member], rows: task.project.companyId = auth.company }
      employees:
        access:
          read: { roles: [member], rows: companyId = auth.company }
          write: { roles: [member], rows: companyId = auth.company }
      users:
        access: { read: { roles: [member] }, update: { roles: [member], rows: id = auth.sub } }
      groups:
        access:
          read: { roles: [member], rows: memberships.filter(userId = auth.sub).count > 0 or name <> 'secret' }
          create: { roles: [member] }
      memberships:
        access:
          read: { roles: [member], rows: userId = auth.sub }
          create: { roles: [member], rows: userId = auth.sub or group.name = 'secret' }
          delete: { roles: [member], rows: userId = auth.sub }
    """

  static func database(_ more: String = "", model: String = model) throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    options.access = AccessFixture.configuration
    return try TestDatabase(schema + records + more, modelFile: model, options: options)
  }

  /// A member of company 3.
  static let member = AccessFixture.bearer(#"{"role":"member","sub":1,"company":3}"#)
}
