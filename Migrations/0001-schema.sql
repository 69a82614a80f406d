-- The sample library: what `kindred serve` serves when no database is named.
-- Every foreign key has an index, or is the beginning of a key: an association is then read by a search.

CREATE TABLE country (
  code TEXT PRIMARY KEY NOT NULL,                      -- ISO 3166-1
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE demographics (
  id INTEGER PRIMARY KEY,
  countryCode TEXT NOT NULL UNIQUE REFERENCES country(code) ON DELETE CASCADE,
  population INTEGER                                   -- to the nearest million
);

CREATE TABLE author (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  countryCode TEXT REFERENCES country(code),
  mentorId INTEGER REFERENCES author(id),
  birthYear INTEGER,                                   -- negative: before the common era
  deathYear INTEGER,
  email TEXT,
  CHECK (deathYear >= birthYear)
);
CREATE INDEX authorOnCountry ON author(countryCode);
CREATE INDEX authorOnMentor ON author(mentorId);

CREATE TABLE book (
  id INTEGER PRIMARY KEY,
  authorId INTEGER REFERENCES author(id),
  title TEXT NOT NULL,
  kind TEXT,
  year INTEGER,                                        -- of the first edition
  price REAL CHECK (price >= 0),
  pages INTEGER CHECK (pages > 0),
  position INTEGER                                     -- on the author's shelf
);
CREATE INDEX bookOnAuthor ON book(authorId);

CREATE TABLE review (
  id INTEGER PRIMARY KEY,
  bookId INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  body TEXT
);
CREATE INDEX reviewOnBook ON review(bookId);

CREATE TABLE award (
  id INTEGER PRIMARY KEY,
  bookId INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  name TEXT NOT NULL
);
CREATE INDEX awardOnBook ON award(bookId);

CREATE TABLE painting (
  id INTEGER PRIMARY KEY,
  authorId INTEGER REFERENCES author(id),
  title TEXT NOT NULL,
  year INTEGER
);
CREATE INDEX paintingOnAuthor ON painting(authorId);

-- The chapters of audiobooks, and lists of them.

CREATE TABLE track (
  id INTEGER PRIMARY KEY,
  bookId INTEGER REFERENCES book(id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  seconds INTEGER
);
CREATE INDEX trackOnBook ON track(bookId);

CREATE TABLE playlist (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE TABLE playlistTrack (
  playlistId INTEGER NOT NULL REFERENCES playlist(id) ON DELETE CASCADE,
  trackId INTEGER NOT NULL REFERENCES track(id) ON DELETE CASCADE,
  position INTEGER,
  PRIMARY KEY (playlistId, trackId)
);
CREATE INDEX playlistTrackOnTrack ON playlistTrack(trackId);

-- The readers, who may be citizens of several countries, and have several passports of each.

CREATE TABLE citizen (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE TABLE citizenship (
  citizenId INTEGER NOT NULL REFERENCES citizen(id) ON DELETE CASCADE,
  countryCode TEXT NOT NULL REFERENCES country(code) ON DELETE CASCADE,
  since INTEGER,
  PRIMARY KEY (citizenId, countryCode)
);
CREATE INDEX citizenshipOnCountry ON citizenship(countryCode);

CREATE TABLE passport (
  id INTEGER PRIMARY KEY,
  citizenId INTEGER NOT NULL REFERENCES citizen(id) ON DELETE CASCADE,
  countryCode TEXT NOT NULL REFERENCES country(code),
  number TEXT NOT NULL UNIQUE,
  issued TEXT                                          -- YYYY-MM-DD
);
CREATE INDEX passportOnCitizen ON passport(citizenId);
CREATE INDEX passportOnCountry ON passport(countryCode);

-- The staff, and its football teams.

CREATE TABLE employee (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  title TEXT,
  reportsTo INTEGER REFERENCES employee(id)
);
CREATE INDEX employeeOnReportsTo ON employee(reportsTo);

CREATE TABLE team (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE player (
  id INTEGER PRIMARY KEY,
  teamId INTEGER REFERENCES team(id),
  name TEXT NOT NULL,
  position INTEGER
);
CREATE INDEX playerOnTeam ON player(teamId);

-- Full-text search of the titles, with or without their accents. The text stays in the table book
-- (https://www.sqlite.org/fts5.html#external_content_tables).

CREATE VIRTUAL TABLE bookText USING fts5(
  title, content = 'book', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER bookTextInsert AFTER INSERT ON book BEGIN
  INSERT INTO bookText (rowid, title) VALUES (new.id, new.title);
END;
CREATE TRIGGER bookTextDelete AFTER DELETE ON book BEGIN
  INSERT INTO bookText (bookText, rowid, title) VALUES ('delete', old.id, old.title);
END;
CREATE TRIGGER bookTextUpdate AFTER UPDATE OF id, title ON book BEGIN
  INSERT INTO bookText (bookText, rowid, title) VALUES ('delete', old.id, old.title);
  INSERT INTO bookText (rowid, title) VALUES (new.id, new.title);
END;
