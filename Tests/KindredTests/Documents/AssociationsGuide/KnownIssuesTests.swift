import Kindred
import Testing

private struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
  static let passports = hasMany(Passport.self)
  static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
}

private struct Passport: Codable, FetchableRecord, TableRecord {
  var id: Int64
  static let citizen = belongsTo(Citizen.self)
}

private struct Citizen: Codable, FetchableRecord, TableRecord {
  var name: String
}

@Suite("The guide of associations: what the original does not do")
struct KnownIssuesTests {
  @Test
  func `S266, S267: an association and another one through it, as two collections`() throws {
    struct CountryInfo: Decodable, FetchableRecord {
      var country: Country
      var passports: [Passport]
      var citizens: [Citizen]
    }
    struct WorkaroundInfo: Decodable, FetchableRecord {
      struct PassportInfo: Decodable {
        var passport: Passport
        var citizen: Citizen
      }
      var country: Country
      var passports: [PassportInfo]
    }
    let dbQueue = try Databases.make(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE passport (
        id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country, citizenId INTEGER REFERENCES citizen);
      INSERT INTO country VALUES ('FR'), ('US');
      INSERT INTO citizen VALUES (1, 'Ada'), (2, 'Bob');
      INSERT INTO passport VALUES (1, 'FR', 1), (2, 'US', 1), (3, 'FR', 2);
      """)
    try dbQueue.read { db throws in
      // Not implemented in the original
      let request =
        Country
        .including(all: Country.passports)
        .including(all: Country.citizens)
      let infos = try CountryInfo.fetchAll(db, request)
      #expect(infos.map { $0.passports.map(\.id) } == [[1, 3], [2]])
      #expect(infos.map { $0.citizens.map(\.name) } == [["Ada", "Bob"], ["Ada"]])

      // Workaround
      let workaround =
        Country
        .including(
          all: Country.passports
            .including(required: Passport.citizen))
      let others = try WorkaroundInfo.fetchAll(db, workaround)
      #expect(others.map { $0.passports.map(\.citizen.name) } == [["Ada", "Bob"], ["Ada"]])
    }
  }
}
