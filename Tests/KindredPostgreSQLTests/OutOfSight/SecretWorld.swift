import KindredModelFile

/// Random records of two teams: those of team 1 are seen by the client, but for some columns; the others are secrets.
struct SecretWorld {
  enum Database {
    case sqlite, postgreSQL
  }

  private struct Site {
    let id: Int
    let project: Int
    let team: Int
    let name: String
    let data: String
    let rank: Int
    let bonus: Double
    var salary = 0
  }

  private var projects: [(id: Int, team: Int)] = []
  private var sites: [Site] = []
  private var jobs: [(code: String, project: Int, estimate: Int)] = []
  private var marks: [(name: String, salary: Int)] = []
  /// Seen but for the pin, which the database computes with.
  private var cards: [(id: Int, pin: Int)] = []

  private static let names = ["ann", "Ann", "ANN", "bob", "Bob", "cyd", "dee", "Eve"]
  private static let bonuses = [1e16, 1.0, -1e16, 0.1, 0.2, 0.3, 12.5]

  /// Makes what the client sees.
  init(_ random: inout SeededRandom) {
    for id in 1...4 { projects.append((id, 1)) }
    for id in 1...Int.random(in: 3...14, using: &random) {
      sites.append(site(id, Int.random(in: 1...4, using: &random), team: 1, String(id % 5), &random))
    }
    for id in 1...4 { jobs.append(("j\(id)", id, id)) }
    for name in Self.names.shuffled(using: &random).prefix(5) { marks.append((name, 0)) }
  }

  /// Adds what it doesn't see, which differs each time.
  mutating func addSecrets(_ random: inout SeededRandom) {
    let hidden = (50..<60).shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
    for id in hidden { projects.append((id, 2)) }
    for id in 50..<(50 + Int.random(in: 0...6, using: &random)) {
      let data = random.one(of: ["7", "none", "99999999999999999999", "{", "secret \(id)"])
      sites.append(site(id, random.one(of: Array(hidden)), team: 2, data, &random))
    }
    for id in hidden where random.chance(50) { jobs.append(("s\(id)", id, id)) }
    let salaries = Array(1...sites.count).shuffled(using: &random)
    for index in sites.indices { sites[index].salary = salaries[index] }
    for id in 1...3 { cards.append((id, Int.random(in: 10_000...99_999, using: &random))) }
    for index in marks.indices { marks[index].salary = Int.random(in: 1...1000, using: &random) }
  }

  private func site(
    _ id: Int, _ project: Int, team: Int, _ data: String, _ random: inout SeededRandom
  ) -> Site {
    Site(
      id: id, project: project, team: team, name: random.one(of: Self.names), data: data,
      rank: Int.random(in: 1...5, using: &random), bonus: random.one(of: Self.bonuses))
  }

  /// Returns the statements that make the database.
  func sql(_ database: Database) -> String {
    let isSQLite = database == .sqlite
    let (text, number) = (isSQLite ? "TEXT COLLATE NOCASE" : "text", isSQLite ? "REAL" : "float8")
    // The expressions of the view fail for some of the secrets.
    let city = isSQLite ? "json_extract(data, '$')" : "data::integer"
    var statements = [
      "CREATE TABLE project (id integer PRIMARY KEY, team integer NOT NULL)",
      """
      CREATE TABLE site (id integer PRIMARY KEY, project integer REFERENCES project(id), team integer, name \(text), \
      data text, rank integer, bonus \(number), salary integer, pad varchar(200))
      """,
      "CREATE INDEX site_by_salary ON site (salary, name, bonus, rank, project, team)",
      "CREATE INDEX site_by_project ON site (project, salary, name, rank, bonus)",
      """
      CREATE TABLE job (code text PRIMARY KEY, project integer NOT NULL REFERENCES project(id), \
      est integer CHECK (est < 1000), twice integer GENERATED ALWAYS AS (est * 2) STORED)
      """,
      "CREATE TABLE mark (name \(text), salary integer, pad varchar(200))",
      "CREATE INDEX mark_by_salary ON mark (salary, name)",
      "CREATE VIEW note AS SELECT name, salary FROM mark",
      """
      CREATE TABLE card (id integer PRIMARY KEY, name text, pin text, \
      tag text GENERATED ALWAYS AS (\(isSQLite ? "json_extract(pin || name, '$')" : "((pin || name)::numeric)::text")) STORED)
      """,
      "CREATE VIEW town AS SELECT id, project, team, \(city) AS n FROM site",
      // Not in place of its table.
      "CREATE VIEW place AS SELECT s.id, s.project, s.team, \(city) AS n FROM site s JOIN project p ON p.id = s.project",
    ]
    statements += projects.map { "INSERT INTO project VALUES (\($0.id), \($0.team))" }
    statements += sites.map {
      """
      INSERT INTO site VALUES (\($0.id), \($0.project), \($0.team), '\($0.name)', '\($0.data)', \($0.rank), \($0.bonus), \
      \($0.salary), NULL)
      """
    }
    statements += jobs.map {
      "INSERT INTO job (code, project, est) VALUES ('\($0.code)', \($0.project), \($0.estimate))"
    }
    statements += marks.map { "INSERT INTO mark VALUES ('\($0.name)', \($0.salary), NULL)" }
    statements += cards.map { "INSERT INTO card (id, name, pin) VALUES (\($0.id), '\($0.id)', '\($0.pin)')" }
    if isSQLite {
      statements.append(
        "ALTER TABLE site ADD COLUMN city TEXT GENERATED ALWAYS AS (json_extract(data, '$')) VIRTUAL")
    }
    return (statements + ["ANALYZE"]).joined(separator: ";\n")
  }
}

/// The rules under which team 1 sees its own records.
struct SecretModel {
  private let rule: String
  /// The same, and that something holds that can't be computed for some of the secrets.
  private let townRule: String
  private let writing: String

  init(_ random: inout SeededRandom) {
    rule = random.one(of: ["team = auth.team", "projectRecord.team = auth.team"])
    townRule = random.one(of: [rule, "\(rule) and n >= 0"])
    writing = random.one(of: ["\"true\"", "projectRecord.team = auth.team"])
  }

  func file(for database: String) throws -> ModelFile {
    let toProject = "projectRecord: { belongsTo: projects, foreignKey: { project: id } }"
    let city = database == "SQLite" ? ", city" : ""
    return try ModelFileParser(path: "model.yaml").parse(
      """
      resources:
        projects:
          associations:
            towns: { hasMany: towns, foreignKey: [project] }
            sites: { hasMany: sites, foreignKey: [project] }
          access: { read: { rows: team = auth.team } }
        sites:
          associations: { \(toProject) }
          access: { read: { rows: \(rule), fields: [id, project, team, name, data, rank, bonus\(city)] } }
        jobs:
          associations: { \(toProject) }
          access: { read: { rows: projectRecord.team = auth.team }, write: { rows: \(writing) } }
        marks: { access: { read: { fields: [name] } } }
        notes: { access: { read: { fields: [name] } } }
        towns: { key: [id], associations: { \(toProject) }, access: { read: { rows: \(townRule) } } }
        places: { key: [id], associations: { \(toProject) }, access: { read: { rows: \(townRule) } } }
        cards: { access: { read: { fields: [id, name] }, write: { fields: [id, name] } } }
      commonTableExpressions:
        figures:
          sql: "SELECT id, project, team, \(database == "SQLite" ? "json_extract(data, '$')" : "data::integer") AS n FROM site"
          as: sites
      """)
  }
}
