import Testing

@testable import KindredAPI

@Suite("Joined views that repeat records")
struct RepeatedRowTests {
  @Test(arguments: ["annotate=notes.count", "sort=-notes.count", "sort=-notes.count&count=true"])
  func `repeat them once, however the records are found`(parameters: String) throws {
    let database = try TestDatabase(
      """
      CREATE TABLE project (id INTEGER PRIMARY KEY, teamId INTEGER);
      CREATE INDEX projectOnTeam ON project(teamId);
      CREATE TABLE issue (id INTEGER PRIMARY KEY, projectId INTEGER REFERENCES project(id));
      CREATE INDEX issueOnProject ON issue(projectId);
      CREATE TABLE note (id INTEGER PRIMARY KEY, issueId INTEGER REFERENCES issue(id));
      CREATE INDEX noteOnIssue ON note(issueId);
      CREATE VIEW twin AS SELECT id, teamId FROM project UNION ALL SELECT id, teamId FROM project WHERE id = 3;
      INSERT INTO project VALUES (1, 1), (2, 2), (3, 2);
      INSERT INTO issue VALUES (1, 1), (2, 2), (3, 3);
      INSERT INTO note (issueId) VALUES (1), (2), (2), (3);
      """,
      modelFile: """
        resources:
          twins: { key: [id] }
          issues: { associations: { twin: { belongsTo: twins, foreignKey: { projectId: id } } } }
        """)
    let found = try database.get(
      "/issues?fields=id&filter=project.teamId=2&include=twin&limit=8&\(parameters)")
    let twins = found.text.matches(of: /"twin":\{"id":(\d)/).map(\.1)
    #expect(twins == ["2", "3", "3"], "\(parameters): \(found.text)")
  }
}
