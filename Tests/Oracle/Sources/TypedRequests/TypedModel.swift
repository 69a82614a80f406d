import OracleValues

/// The tables of the record types of both libraries, and their associations.
package struct TypedModel: Sendable {
  package struct Table: Sendable {
    package var name: String
    package var key: [String]
    package var columns: [Column]

    package func column(_ name: String) -> Column? { columns.first { $0.name == name } }
  }

  package struct Column: Sendable {
    package enum Kind: Sendable { case integer, real, text }
    package var name: String
    package var kind: Kind
    /// The table whose keys are its possible values.
    package var refersTo: String?
  }

  package struct Association: Sendable {
    package indirect enum Kind: Sendable {
      /// The columns of the origin and the columns of the destination that they equal.
      case direct(origin: [String], destination: [String])
      case through(String, using: String)
    }
    package var origin: String
    package var name: String
    package var destination: String
    package var isToMany: Bool
    package var kind: Kind
    /// The declared key, or else the name of the table.
    package var key: String?
  }

  package var tables: [Table]
  package var associations: [Association]

  package func table(_ name: String) -> Table? { tables.first { $0.name == name } }

  package func associations(of table: String) -> [Association] { associations.filter { $0.origin == table } }

  package func association(_ name: String, of table: String) -> Association? {
    associations.first { $0.origin == table && $0.name == name }
  }
}

extension TypedModel.Association {
  /// The key of a joined record, which is singular even for a to-many association.
  package func joinedKey(_ given: String?) -> String {
    guard let key = given ?? key else { return destination }
    return isToMany && name != "tally" && key.hasSuffix("s") ? String(key.dropLast()) : key
  }

  /// The key of a collection.
  package func collectionKey(_ given: String?) -> String {
    given ?? key ?? (destination == "country" ? "countries" : "\(destination)s")
  }
}

// MARK: - The model

extension TypedModel {
  package static let library = TypedModel(tables: libraryTables, associations: libraryAssociations)

  private static func table(_ name: String, key: [String], _ columns: Column...) -> Table {
    Table(name: name, key: key, columns: columns)
  }

  private static func integer(_ name: String, _ table: String? = nil) -> Column {
    Column(name: name, kind: .integer, refersTo: table)
  }

  private static func text(_ name: String, _ table: String? = nil) -> Column {
    Column(name: name, kind: .text, refersTo: table)
  }

  private static let libraryTables = [
    table("country", key: ["code"], text("code"), text("name"), integer("population")),
    table(
      "author", key: ["id"], integer("id"), text("name"), integer("birthYear"),
      text("countryCode", "country"),
      integer("mentorId", "author")),
    table("profile", key: ["id"], integer("id"), integer("authorId", "author"), text("motto")),
    table(
      "book", key: ["id"], integer("id"), integer("authorId", "author"), integer("translatorId", "author"),
      text("title"), text("kind"), integer("year"), Column(name: "price", kind: .real)),
    table("award", key: ["id"], integer("id"), integer("bookId", "book"), text("name"), integer("grade")),
    table(
      "edition", key: ["bookId", "number"], integer("bookId", "book"), integer("number"), integer("pages")),
    table(
      "printing", key: ["id"], integer("id"), integer("bookId", "book"), integer("number"), integer("copies")),
    table(
      "citizenship", key: ["countryCode", "authorId"], text("countryCode", "country"),
      integer("authorId", "author"), integer("since")),
    // A common table expression over books.
    table("tally", key: ["writerId"], integer("writerId"), integer("number")),
  ]

  private static func link(
    _ origin: String, _ name: String, _ destination: String, toMany: Bool, _ columns: [String],
    _ others: [String], key: String? = nil
  ) -> Association {
    Association(
      origin: origin, name: name, destination: destination, isToMany: toMany,
      kind: .direct(origin: columns, destination: others), key: key)
  }

  private static func through(
    _ origin: String, _ name: String, _ destination: String, toMany: Bool, _ pivot: String, _ target: String,
    key: String? = nil
  ) -> Association {
    Association(
      origin: origin, name: name, destination: destination, isToMany: toMany,
      kind: .through(pivot, using: target), key: key)
  }

  private static let libraryAssociations = [
    link("country", "authors", "author", toMany: true, ["code"], ["countryCode"]),
    link("country", "citizenships", "citizenship", toMany: true, ["code"], ["countryCode"]),
    through("country", "citizens", "author", toMany: true, "citizenships", "author", key: "citizens"),
    through("country", "books", "book", toMany: true, "authors", "books"),

    link("author", "country", "country", toMany: false, ["countryCode"], ["code"]),
    link("author", "mentor", "author", toMany: false, ["mentorId"], ["id"], key: "mentor"),
    link("author", "disciples", "author", toMany: true, ["id"], ["mentorId"], key: "disciples"),
    link("author", "profile", "profile", toMany: false, ["id"], ["authorId"]),
    link("author", "books", "book", toMany: true, ["id"], ["authorId"]),
    link("author", "translations", "book", toMany: true, ["id"], ["translatorId"], key: "translations"),
    through("author", "awards", "award", toMany: true, "books", "awards"),
    through("author", "editions", "edition", toMany: true, "books", "editions"),
    through("author", "printings", "printing", toMany: true, "editions", "printings"),
    link("author", "citizenships", "citizenship", toMany: true, ["id"], ["authorId"]),
    through("author", "nations", "country", toMany: true, "citizenships", "country", key: "nations"),
    through("author", "discipleCountries", "country", toMany: true, "disciples", "country", key: "origins"),
    through("author", "mentorCountry", "country", toMany: false, "mentor", "country", key: "mentorCountry"),
    link("author", "tally", "tally", toMany: true, ["id"], ["writerId"]),

    link("profile", "author", "author", toMany: false, ["authorId"], ["id"]),

    link("book", "author", "author", toMany: false, ["authorId"], ["id"]),
    link("book", "translator", "author", toMany: false, ["translatorId"], ["id"], key: "translator"),
    link("book", "awards", "award", toMany: true, ["id"], ["bookId"]),
    link("book", "editions", "edition", toMany: true, ["id"], ["bookId"]),
    through("book", "printings", "printing", toMany: true, "editions", "printings"),
    through("book", "country", "country", toMany: false, "author", "country"),
    through("book", "profile", "profile", toMany: false, "author", "profile"),

    link("award", "book", "book", toMany: false, ["bookId"], ["id"]),
    through("award", "author", "author", toMany: false, "book", "author"),

    link("edition", "book", "book", toMany: false, ["bookId"], ["id"]),
    link("edition", "printings", "printing", toMany: true, ["bookId", "number"], ["bookId", "number"]),

    link("printing", "edition", "edition", toMany: false, ["bookId", "number"], ["bookId", "number"]),
    through("printing", "book", "book", toMany: false, "edition", "book"),

    link("citizenship", "country", "country", toMany: false, ["countryCode"], ["code"]),
    link("citizenship", "author", "author", toMany: false, ["authorId"], ["id"]),
  ]

  /// The tables in SQL.
  package static let librarySchema = """
    CREATE TABLE country (code TEXT NOT NULL PRIMARY KEY, name TEXT, population INTEGER);
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, birthYear INTEGER,
      countryCode TEXT REFERENCES country, mentorId INTEGER REFERENCES author);
    CREATE TABLE profile (id INTEGER PRIMARY KEY, authorId INTEGER UNIQUE REFERENCES author, motto TEXT);
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, translatorId INTEGER,
      title TEXT, kind TEXT, year INTEGER, price REAL);
    CREATE TABLE award (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, name TEXT, grade INTEGER);
    CREATE TABLE edition (bookId INTEGER NOT NULL REFERENCES book, number INTEGER NOT NULL, pages INTEGER,
      PRIMARY KEY (bookId, number));
    CREATE TABLE printing (id INTEGER PRIMARY KEY, bookId INTEGER, number INTEGER, copies INTEGER,
      FOREIGN KEY (bookId, number) REFERENCES edition);
    CREATE TABLE citizenship (countryCode TEXT NOT NULL REFERENCES country,
      authorId INTEGER NOT NULL REFERENCES author, since INTEGER, PRIMARY KEY (countryCode, authorId));
    """

  /// The rows of `tally`.
  package static let tallySQL = """
    SELECT authorId AS writerId, COUNT(*) AS number FROM book WHERE authorId IS NOT NULL GROUP BY authorId
    """
}
