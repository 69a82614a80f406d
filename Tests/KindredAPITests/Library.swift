/// The domain of all tests: a library.
enum Library {
  static let schema = """
    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE author (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, countryCode TEXT REFERENCES country(code), deathYear INTEGER);
    CREATE INDEX authorOnCountry ON author(countryCode);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT NOT NULL, kind TEXT, year INTEGER,
      price REAL);
    CREATE INDEX bookOnAuthor ON book(authorId);
    CREATE TABLE review (
      id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book(id), rating INTEGER NOT NULL);
    CREATE INDEX reviewOnBook ON review(bookId);
    -- The foreign key has no index.
    CREATE TABLE painting (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT, year INTEGER);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE bookTag (
      bookId INTEGER NOT NULL REFERENCES book(id), tagId INTEGER NOT NULL REFERENCES tag(id), position INTEGER,
      PRIMARY KEY (bookId, tagId));
    CREATE INDEX bookTagOnTag ON bookTag(tagId);
    CREATE TABLE employee (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, managerId INTEGER REFERENCES employee(id));
    CREATE INDEX employeeOnManager ON employee(managerId);
    CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT, nextId INTEGER REFERENCES word(id));
    CREATE VIRTUAL TABLE bookText USING fts5(title, content='book', content_rowid='id');
    """

  static let records = """
    INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States');
    INSERT INTO author VALUES (1, 'Melville', 'US', 1891), (2, 'Zola', 'FR', 1902), (3, 'Anonymous', NULL, NULL);
    INSERT INTO book VALUES
      (1, 1, 'Moby-Dick', 'novel', 1851, 12.25), (2, 1, 'Omoo', 'novel', 1847, 8.5), (3, 1, 'Timoleon', 'poem', 1891, NULL),
      (4, 2, 'Germinal', 'novel', 1885, 9.0), (5, NULL, 'Beowulf', 'poem', NULL, 7.75), (6, 2, 'Truth', 'novel', 1903, 5.0);
    INSERT INTO review VALUES (1, 1, 5), (2, 1, 4), (3, 4, 3);
    INSERT INTO painting VALUES (1, 1, 'Sea', 1850), (2, 1, 'Ship', 1860), (3, 2, 'Mine', 1880);
    INSERT INTO tag VALUES (1, 'sea'), (2, 'work'), (3, 'unused');
    INSERT INTO bookTag VALUES (1, 1, 2), (1, 2, 1), (2, 1, 1), (4, 2, 1);
    INSERT INTO employee VALUES (1, 'Ada', NULL), (2, 'Bo', 1), (3, 'Cy', 1), (4, 'Di', 2);
    INSERT INTO word VALUES (1, 'a', 2), (2, 'b', 3), (3, 'c', 1), (4, 'd', NULL);
    INSERT INTO bookText (bookText) VALUES ('rebuild');
    """

  /// Creates a library.
  static func database() throws -> TestDatabase { try TestDatabase(schema + records) }
}
