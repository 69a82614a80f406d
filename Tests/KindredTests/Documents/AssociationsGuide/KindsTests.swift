import Kindred
import Testing

private struct Country: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var code: String

  static let passports = hasMany(Passport.self)
  static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
  static let demographics = hasOne(Demographics.self, key: "demographics")
}

private struct Demographics: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var population: Int
  var countryCode: String

  static let country = belongsTo(Country.self)
}

private struct Passport: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64

  static let country = belongsTo(Country.self)
  static let citizen = belongsTo(Citizen.self)
}

private struct Citizen: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  var name: String

  static let passports = hasMany(Passport.self)
  static let countries = hasMany(Country.self, through: passports, using: Passport.country)
}

private struct Document: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64

  static let sections = hasMany(Section.self)
  static let paragraphs = hasMany(Paragraph.self, through: sections, using: Section.paragraphs)
  static let explicitParagraphs = hasMany(
    Paragraph.self,
    through: Document.hasMany(Section.self),
    using: Section.hasMany(Paragraph.self))
}

private struct Section: TableRecord {
  static let paragraphs = hasMany(Paragraph.self)
}

private struct Paragraph: Codable, FetchableRecord, TableRecord {
  var text: String
}

private struct Book: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  var libraryId: Int64

  static let library = belongsTo(Library.self)
  static let returnAddress = hasOne(Address.self, through: library, using: Library.address)
  static let explicitAddress = hasOne(
    Address.self,
    through: Book.belongsTo(Library.self),
    using: Library.hasOne(Address.self))
}

private struct Library: TableRecord {
  static let address = hasOne(Address.self)
}

private struct Address: Codable, FetchableRecord, TableRecord {
  var street: String
}

private struct Employee: Codable, FetchableRecord, TableRecord, Hashable {
  var id: Int64

  static let subordinates = hasMany(Employee.self, key: "subordinates")
  static let manager = belongsTo(Employee.self, key: "manager")
}

@Suite("The guide of associations: the types of associations")
struct KindsTests {
  @Test
  func `S24, S35, S42: a country has one demographic profile, which belongs to the country`() throws {
    struct CountryInfo: Decodable, FetchableRecord {
      var country: Country
      var demographics: Demographics?
    }
    try world().read { db throws in
      let request = Country.including(optional: Country.demographics)
      let infos = try CountryInfo.fetchAll(db, request)
      #expect(infos.map(\.demographics?.population) == [67, nil])
      let demographics = try #require(try Demographics.fetchOne(db))
      #expect(try demographics.request(for: Demographics.country).fetchOne(db)?.code == "FR")
      try expectSQL(
        request, db,
        """
        SELECT country.*, demographics.*
        FROM country
        LEFT JOIN demographics ON demographics.countryCode = country.code
        """)
    }
  }

  @Test
  func `S25, S43: citizens of countries, and countries of citizens, over passports`() throws {
    struct CountryInfo: Decodable, FetchableRecord {
      var country: Country
      var citizens: [Citizen]
    }
    struct CitizenInfo: Decodable, FetchableRecord {
      var citizen: Citizen
      var countries: [Country]
    }
    try world().read { db throws in
      let countries = try CountryInfo.fetchAll(db, Country.including(all: Country.citizens))
      #expect(countries.map { $0.citizens.map(\.name).sorted() } == [["Ada", "Bob"], ["Ada"]])
      let citizens = try CitizenInfo.fetchAll(db, Citizen.including(all: Citizen.countries))
      #expect(citizens.map { $0.countries.map(\.code).sorted() } == [["FR", "US"], ["FR"]])
    }
  }

  @Test
  func `S26, S27, S28: the paragraphs of a document, by named associations and by ones in place`() throws {
    try papers().read { db throws in
      let document = try #require(try Document.fetchOne(db))
      for paragraphs in [Document.paragraphs, Document.explicitParagraphs] {
        let request = document.request(for: paragraphs)
        #expect(try request.fetchAll(db).map(\.text) == ["one", "two", "three"])
        try expectSQL(
          request, db,
          """
          SELECT paragraph.*
          FROM section
          JOIN paragraph ON paragraph.sectionId = section.id
          WHERE section.documentId = ?1
          """)
      }
    }
  }

  @Test
  func `S29, S31: where a book is to be returned to`() throws {
    try papers().read { db throws in
      let book = try #require(try Book.fetchOne(db))
      for address in [Book.returnAddress, Book.explicitAddress] {
        let request = book.request(for: address)
        #expect(try request.fetchOne(db)?.street == "Quai François-Mauriac")
        try expectSQL(
          request, db,
          """
          SELECT address.*
          FROM library
          JOIN address ON address.libraryId = library.id
          WHERE library.id = ?1
          """)
      }
    }
  }

  @Test
  func `S36, S37, S38, S55, S63: an employee, a manager, and subordinates`() throws {
    struct EmployeeInfo: FetchableRecord, Decodable {
      var employee: Employee
      var manager: Employee?
      var subordinates: Set<Employee>
    }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Employees") { db in
      try db.create(table: "employee") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("manager", inTable: "employee", onDelete: .setNull)
        t.column("name", .text)
      }
    }
    let dbQueue = DatabaseQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(sql: "INSERT INTO employee (managerId) VALUES (NULL), (1), (1)")
      let request =
        Employee
        .including(optional: Employee.manager)
        .including(all: Employee.subordinates)
      let employeeInfos: [EmployeeInfo] = try EmployeeInfo.fetchAll(db, request)
      #expect(employeeInfos.map(\.manager?.id) == [nil, 1, 1])
      #expect(employeeInfos.map { Set($0.subordinates.map(\.id)) } == [[2, 3], [], []])
      try expectSQL(
        request, db,
        """
        SELECT employee.*, employee2.*
        FROM employee
        LEFT JOIN employee AS employee2 ON employee2.id = employee.managerId
        """)
    }
  }

  private func world() throws -> DatabaseQueue {
    try Databases.make(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE demographics (
        id INTEGER PRIMARY KEY, countryCode TEXT UNIQUE NOT NULL REFERENCES country, population INTEGER);
      CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE passport (
        id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country, citizenId INTEGER REFERENCES citizen);
      INSERT INTO country VALUES ('FR'), ('US');
      INSERT INTO demographics VALUES (1, 'FR', 67);
      INSERT INTO citizen VALUES (1, 'Ada'), (2, 'Bob');
      INSERT INTO passport VALUES (1, 'FR', 1), (2, 'US', 1), (3, 'FR', 2);
      """)
  }

  private func papers() throws -> DatabaseQueue {
    try Databases.make(
      """
      CREATE TABLE document (id INTEGER PRIMARY KEY);
      CREATE TABLE section (id INTEGER PRIMARY KEY, documentId INTEGER REFERENCES document);
      CREATE TABLE paragraph (id INTEGER PRIMARY KEY, sectionId INTEGER REFERENCES section, text TEXT);
      CREATE TABLE library (id INTEGER PRIMARY KEY);
      CREATE TABLE address (id INTEGER PRIMARY KEY, libraryId INTEGER UNIQUE REFERENCES library, street TEXT);
      CREATE TABLE book (id INTEGER PRIMARY KEY, libraryId INTEGER REFERENCES library);
      INSERT INTO document VALUES (1), (2);
      INSERT INTO section VALUES (1, 1), (2, 1), (3, 2);
      INSERT INTO paragraph VALUES (1, 1, 'one'), (2, 1, 'two'), (3, 2, 'three'), (4, 3, 'four');
      INSERT INTO library VALUES (1), (2);
      INSERT INTO address VALUES (1, 2, 'Place de la Bastille'), (2, 1, 'Quai François-Mauriac');
      INSERT INTO book VALUES (1, 1);
      """)
  }
}
