#!/usr/bin/env python3
"""Makes the library that the benchmarks read: library.py FILE --authors N [--without-index]

Five books to an author on average (from none to dozens, not stored by author), three reviews to a book, up to three
paintings. The same arguments give the same rows on every machine: only `random()` is drawn, whose sequence Python
promises to keep.
"""
import argparse, os, random, sqlite3

SCHEMA = """
CREATE TABLE country (code TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE author (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, countryCode TEXT REFERENCES country (code),
  birthYear INTEGER NOT NULL, deathYear INTEGER);
CREATE TABLE book (
  id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author (id), title TEXT NOT NULL,
  kind TEXT NOT NULL, year INTEGER NOT NULL, price REAL NOT NULL);
CREATE TABLE review (
  id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book (id), rating INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE painting (
  id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author (id), title TEXT NOT NULL, year INTEGER NOT NULL);
"""
INDEXES = """
CREATE INDEX author_on_countryCode ON author (countryCode);
CREATE INDEX review_on_bookId ON review (bookId);
CREATE INDEX painting_on_authorId ON painting (authorId);
"""
BOOK_INDEX = "CREATE INDEX book_on_authorId ON book (authorId);"

COUNTRIES = {
    "AR": "Argentina", "CI": "Côte d’Ivoire", "CZ": "Česko", "DE": "Deutschland", "EG": "مصر", "ES": "España",
    "FR": "France", "GB": "United Kingdom", "GR": "Ελλάδα", "IN": "भारत", "IS": "Ísland", "JP": "日本",
    "NG": "Nigeria", "NO": "Norge", "PL": "Polska", "TR": "Türkiye", "UA": "Україна", "US": "United States"}
FIRST = "Ada Aimé Boris Chinua Elena Émile Gabriel Haruki Halldór Ivo Jane Karel Naguib Olga Toni Virginia".split()
LAST = "Achebe Austen Borges Césaire Čapek Eco García Gogol Laxness Mahfouz Morrison O’Brien Tokarczuk Woolf".split()
WORDS = ("the of and in with under night winter river garden stone letter silence house memory city shadow light glass "
         "island voyage mother king bridge mirror ocean forest clock summer dust paper salt wolf bird map train secret "
         "lantern harbour machine colour patience distance naïve café Größe Ночь 東京 🌙").split()
KINDS = "novel novel novel essay poetry play history biography".split()
# Few authors have many books.
BOOKS = [0] * 8 + [1] * 14 + [2] * 15 + [3] * 14 + [4] * 11 + [5] * 9 + [6] * 8 + [8] * 7 + [10] * 6 + [15] * 5 + [28] * 3


class Source:
    def __init__(self, seed): self.random = random.Random(seed).random
    def below(self, n): return int(self.random() * n)
    def between(self, low, high): return low + self.below(high - low + 1)
    def one(self, items): return items[self.below(len(items))]

    def text(self, low, high):
        length, words = self.between(low, high), []
        while sum(map(len, words)) + len(words) < length: words.append(self.one(WORDS))
        text = " ".join(words)[:length].strip().capitalize()
        # What JSON must escape is rare, but there.
        chance = self.below(25)
        return f'"{text}"' if chance == 0 else text.replace(" ", "\n", 1) if chance == 1 else text

    def shuffled(self, items):
        keyed = [(self.random(), item) for item in items]
        return [item for _, item in sorted(keyed)]


def authors(source, count):
    for number in range(1, count + 1):
        birth = source.between(1800, 1990)
        death = birth + source.between(25, 95)
        country = None if source.below(30) == 0 else source.one(list(COUNTRIES))
        yield number, f"{source.one(FIRST)} {source.one(LAST)}", country, birth, death if death < 2020 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file"); parser.add_argument("--authors", type=int, default=10_000)
    parser.add_argument("--without-index", action="store_true", help="leave out the index on book.authorId")
    options = parser.parse_args()
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(options.file + suffix): os.remove(options.file + suffix)
    source, database = Source(1), sqlite3.connect(options.file, isolation_level=None)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + SCHEMA)
    database.execute("BEGIN")
    database.executemany("INSERT INTO country VALUES (?, ?)", COUNTRIES.items())
    bodies = [source.text(80, 380) + "." for _ in range(2000)]
    books = reviews = 0
    rows = list(authors(source, options.authors))
    database.executemany("INSERT INTO author VALUES (?, ?, ?, ?, ?)", rows)
    for start in range(0, len(rows), 64):
        written = [author for author in rows[start:start + 64] for _ in range(source.one(BOOKS))]
        for author in source.shuffled(written):
            books += 1
            database.execute("INSERT INTO book VALUES (?, ?, ?, ?, ?, ?)", (
                books, author[0], source.text(10, 60), source.one(KINDS), author[3] + source.between(20, 70),
                source.between(300, 6000) / 100))
            count = source.below(7)
            database.executemany("INSERT INTO review VALUES (?, ?, ?, ?)", (
                (reviews + n, books, source.between(1, 5), source.one(bodies)) for n in range(1, count + 1)))
            reviews += count
        for author in rows[start:start + 64]:
            database.executemany("INSERT INTO painting (authorId, title, year) VALUES (?, ?, ?)", (
                (author[0], source.text(10, 60), author[3] + source.between(20, 70)) for _ in range(source.below(4))))
    database.execute("COMMIT")
    database.executescript(INDEXES + ("" if options.without_index else BOOK_INDEX) + "ANALYZE; PRAGMA journal_mode = DELETE;")
    database.close()


main()
