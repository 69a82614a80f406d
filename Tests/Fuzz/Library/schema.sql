-- A small schema with an example of each unusual kind of column, key and value.
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE) WITHOUT ROWID;
CREATE TABLE author (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, countryCode TEXT REFERENCES country(code),
  mentorId INTEGER REFERENCES author(id), birthYear INTEGER, deathYear INTEGER, email TEXT);
CREATE INDEX authorOnCountry ON author(countryCode);
CREATE TABLE book (
  id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), translatorId INTEGER REFERENCES author(id),
  title TEXT NOT NULL, kind TEXT, year INTEGER, price REAL, isLent BOOLEAN, notes JSON, cover BLOB);
CREATE INDEX bookOnAuthor ON book(authorId);
CREATE TABLE review (id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book(id), rating INTEGER, body TEXT);
CREATE INDEX reviewOnBook ON review(bookId);
-- Its foreign key has no index.
CREATE TABLE painting (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT, year);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE NOT NULL UNIQUE);
CREATE TABLE bookTag (
  bookId INTEGER NOT NULL REFERENCES book(id), tagId INTEGER NOT NULL REFERENCES tag(id), position INTEGER,
  PRIMARY KEY (bookId, tagId));
CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, reportsTo INTEGER REFERENCES employee(id));
CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT, nextId INTEGER REFERENCES word(id));
CREATE TABLE profile (id INTEGER PRIMARY KEY, authorId INTEGER UNIQUE REFERENCES author(id), score REAL);
CREATE TABLE "Order Details" ("Unit Price" NUMERIC, "select" TEXT, "a.b" TEXT, "é" TEXT);
CREATE TABLE sample (
  id INTEGER PRIMARY KEY, text TEXT, whole INTEGER CHECK (whole < 1000), real REAL NOT NULL DEFAULT 1.5, flag BOOLEAN,
  meta JSON, data BLOB, any, twice AS (whole * 2), laterId INTEGER REFERENCES later(id) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE later (id INTEGER PRIMARY KEY, sampleId INTEGER REFERENCES sample(id) ON DELETE CASCADE) STRICT;
CREATE VIEW novel AS SELECT id, authorId, title FROM book WHERE kind = 'novel';
CREATE VIRTUAL TABLE bookText USING fts5(title, content = 'book', content_rowid = 'id');
CREATE VIRTUAL TABLE note USING fts5(body, topic);
-- The name of one ends with that of the other.
CREATE TABLE ink (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE link (id INTEGER PRIMARY KEY, name TEXT);
