import Kindred
import Testing

// The samples of five documents, unchanged except for errors: their declarations, requests and expected results.
// Each runs on one of these databases.
//
// Each sample notes the errors that were corrected in it. In addition, `row["author"]` is `try row["author"]`
// unless it is optional: for a row without an author it throws, where the original ends the program.

enum Databases {
  /// Authors with their associated records.
  ///
  ///     1 Melville (USA)    1 Moby-Dick (novel, 1851, awarded twice, with a cover)  2 Clarel (poems, 1876)
  ///     2 Hugo (France)     3 Les Misérables (novel, 1862)  4 Hernani (theatrePlay, 1830, awarded once)
  ///                         two paintings
  ///     3 Sappho            no book, one painting
  ///     4 Cervantes (ES)    6 Don Quixote (novel, 1605)
  ///     5 Verne (FR)        7 Paris (novel, 1994: after his death)
  ///     -                   5 Beowulf (poems, 1000)
  static func authors() throws -> DatabaseQueue {
    try make(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE author (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, countryCode TEXT REFERENCES country,
        deathDate TEXT);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT NOT NULL, kind TEXT, genre TEXT,
        year INTEGER, price REAL, awards INTEGER, publishDate TEXT, publishedAt TEXT);
      CREATE TABLE painting (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
      CREATE TABLE award (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);
      CREATE TABLE coverImage (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, path TEXT);
      CREATE INDEX book_on_authorId ON book (authorId);
      CREATE INDEX painting_on_authorId ON painting (authorId);
      CREATE INDEX award_on_bookId ON award (bookId);
      CREATE INDEX coverImage_on_bookId ON coverImage (bookId);

      INSERT INTO country VALUES ('US', 'United States of America'), ('FR', 'France'), ('ES', 'Spain');
      INSERT INTO author VALUES
        (1, 'Herman Melville', 'USA', 'US', '1891-09-28'), (2, 'Victor Hugo', 'France', 'FR', '1885-05-22'),
        (3, 'Sappho', NULL, NULL, NULL), (4, 'Miguel de Cervantes', 'ES', 'ES', '1616-04-22'),
        (5, 'Jules Verne', 'FR', 'FR', '1905-03-24');
      INSERT INTO book VALUES
        (1, 1, 'Moby-Dick', 'novel', 'novel', 1851, 12.5, 2, '1851-10-18', '1851-10-18'),
        (2, 1, 'Clarel', 'poems', 'poems', 1876, 7.5, 0, '1876-06-03', '1876-06-03'),
        (3, 2, 'Les Misérables', 'novel', 'novel', 1862, 20, 0, '1862-03-30', '1862-03-30'),
        (4, 2, 'Hernani', 'theatrePlay', 'theatrePlay', 1830, 6, 1, '1830-02-25', '1830-02-25'),
        (5, NULL, 'Beowulf', 'poems', 'poems', 1000, NULL, 0, '1000-01-01', '1000-01-01'),
        (6, 4, 'Don Quixote', 'novel', 'novel', 1605, 9, 0, '1605-01-16', '1605-01-16'),
        (7, 5, 'Paris', 'novel', 'novel', 1994, 18, 0, '1994-09-22', '1994-09-22');
      INSERT INTO painting VALUES (1, 2, 'Octopus'), (2, 2, 'Planet'), (3, 3, 'Selene');
      INSERT INTO award VALUES (1, 1), (2, 1), (3, 4);
      INSERT INTO coverImage VALUES (1, 1, 'moby-dick.jpg');
      """)
  }

  /// Books with an author and a translator.
  ///
  ///     1 Moby-Dick     by Melville (US), translated by Giono (FR)
  ///     2 Paris         by Verne (FR), published after his death
  ///     3 Beowulf       by Anon
  static func people() throws -> DatabaseQueue {
    try make(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE person (
        id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT REFERENCES country, deathDate TEXT);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES person, translatorId INTEGER REFERENCES person,
        title TEXT, publishDate TEXT);
      CREATE TABLE coverImage (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, path TEXT);

      INSERT INTO country VALUES ('US', 'United States of America'), ('FR', 'France');
      INSERT INTO person VALUES
        (1, 'Herman Melville', 'US', '1891-09-28'), (2, 'Jean Giono', 'FR', '1970-10-09'),
        (3, 'Jules Verne', 'FR', '1905-03-24'), (4, 'Anon', NULL, NULL);
      INSERT INTO book VALUES
        (1, 1, 2, 'Moby-Dick', '1851-10-18'), (2, 3, NULL, 'Paris', '1994-09-22'),
        (3, 4, NULL, 'Beowulf', '1000-01-01');
      INSERT INTO coverImage VALUES (1, 1, 'moby-dick.jpg');
      """)
  }

  /// The book whose row the documents print.
  static func mobyDick() throws -> DatabaseQueue {
    try make(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT REFERENCES country);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
      CREATE TABLE coverImage (id INTEGER PRIMARY KEY, imageId INTEGER REFERENCES book, path TEXT);
      CREATE TABLE prize (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);

      INSERT INTO country VALUES ('US', 'United States of America');
      INSERT INTO author VALUES (2, 'Herman Melville', 'US');
      INSERT INTO book VALUES (1, 2, 'Moby-Dick');
      INSERT INTO prize VALUES (1, 1), (2, 1), (3, 1);
      """)
  }

  /// Creates a database in memory by running SQL.
  static func make(_ sql: String) throws -> DatabaseQueue {
    let dbQueue = DatabaseQueue()
    try dbQueue.write { db in try db.execute(sql: sql) }
    return dbQueue
  }
}

/// Expects the statement of a request, written as in the documents: without quotes, and with `book.*` for all
/// columns of a table.
func expectSQL(
  _ request: some FetchRequest, _ db: Database, _ expected: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let (statement, _) = try request.prepare(db)
  let sql = statement.sql.replacing("\"", with: "")
  guard let end = sql.firstRange(of: " FROM ") else {
    Issue.record("no table: \(sql)")
    return
  }
  var selection = String(sql[..<end.lowerBound])
  for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
    let columns = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    let aliases = try Regex("\\b\(table) AS (\\w+)", as: (Substring, Substring).self)
    for name in [Substring(table)] + sql.matches(of: aliases).map(\.output.1) {
      selection = selection.replacing(
        columns.map { "\(name).\($0)" }.joined(separator: ", "), with: "\(name).*")
    }
  }
  let words = expected.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  #expect(selection + sql[end.lowerBound...] == words, sourceLocation: sourceLocation)
}
