import Kindred

/// The database that the guide's samples run on, created by the guide's own migrations.
///
///     1 Victor Hugo (FR, 1802–1885)      1 Hernani (theatre, 1830)  2 Les Misérables (novel, 1862)
///                                        3 Toilers of the Sea (novel, 1866)    a portrait
///     2 Herman Melville (US, 1819–1891)  4 Moby-Dick (novel, 1851)  5 Billy Budd (novel, 1924)
///     3 Mary Shelley (GB, 1797–1851)     6 Frankenstein (novel, 1818)
///     4 Homer
///     -                                  7 Beowulf (poem, 1000)
enum Library {
  static func make() throws -> DatabaseQueue {
    let dbQueue = DatabaseQueue()
    try Migrations.migrator().migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          INSERT INTO country VALUES ('FR', 'France'), ('GB', 'United Kingdom'), ('US', 'United States');
          INSERT INTO author (id, name, countryCode, birthYear, deathYear) VALUES
            (1, 'Victor Hugo', 'FR', 1802, 1885), (2, 'Herman Melville', 'US', 1819, 1891),
            (3, 'Mary Shelley', 'GB', 1797, 1851), (4, 'Homer', NULL, NULL, NULL);
          INSERT INTO book (id, authorId, title, kind, year, price) VALUES
            (1, 1, 'Hernani', 'theatre', 1830, 6), (2, 1, 'Les Misérables', 'novel', 1862, 20),
            (3, 1, 'Toilers of the Sea', 'novel', 1866, 14), (4, 2, 'Moby-Dick', 'novel', 1851, 12.5),
            (5, 2, 'Billy Budd', 'novel', 1924, 7), (6, 3, 'Frankenstein', 'novel', 1818, 9),
            (7, NULL, 'Beowulf', 'poem', 1000, NULL);
          INSERT INTO portrait (authorId, path) VALUES (1, 'hugo.jpg');
          INSERT INTO review (bookId, stars) VALUES (2, 5), (2, 4), (4, 5), (6, 3);
          INSERT INTO citizenship (authorId, countryCode) VALUES (1, 'FR'), (2, 'US'), (3, 'GB'), (3, 'FR');
          INSERT INTO topic (id, parentId, name) VALUES
            (1, NULL, 'Literature'), (2, 1, 'Novel'), (3, 2, 'Gothic novel'), (4, 1, 'Poetry');
          """)
    }
    return dbQueue
  }
}

extension DatabaseReader {
  /// Returns the rows of a request.
  func all<Record: FetchableRecord>(_ request: QueryInterfaceRequest<Record>) throws -> [Record] {
    try read { db in try request.fetchAll(db) }
  }
}
