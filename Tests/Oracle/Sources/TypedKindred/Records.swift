// One source for both libraries: TypedGRDB has symbolic links to the files of this directory.
import TypedRequests

#if GRDB_SIDE
  import GRDB
#else
  import Kindred
#endif

/// A record type whose associations are known by their names.
protocol Model: TableRecord, FetchableRecord, Decodable, Sendable {
  static var links: [String: any Link<Self>] { get }
}

struct Country: Model {
  static let authors = hasMany(Author.self)
  static let citizenships = hasMany(Citizenship.self)
  static let citizens = hasMany(
    Author.self, through: citizenships, using: Citizenship.author, key: "citizens")
  static let books = hasMany(Book.self, through: authors, using: Author.books)
  static let links: [String: any Link<Self>] = [
    "authors": ToMany(authors), "citizenships": ToMany(citizenships), "citizens": ToMany(citizens),
    "books": ToMany(books),
  ]

  var code: String?
  var name: String?
  var population: Int?
}

struct Author: Model {
  static let country = belongsTo(Country.self)
  static let mentor = belongsTo(Author.self, key: "mentor")
  static let disciples = hasMany(Author.self, key: "disciples")
  static let profile = hasOne(Profile.self)
  static let books = hasMany(Book.self)
  static let translations = hasMany(Book.self, key: "translations", using: ForeignKey(["translatorId"]))
  static let awards = hasMany(Award.self, through: books, using: Book.awards)
  static let editions = hasMany(Edition.self, through: books, using: Book.editions)
  static let printings = hasMany(Printing.self, through: editions, using: Edition.printings)
  static let citizenships = hasMany(Citizenship.self)
  static let nations = hasMany(
    Country.self, through: citizenships, using: Citizenship.country, key: "nations")
  static let discipleCountries = hasMany(Country.self, through: disciples, using: country, key: "origins")
  static let mentorCountry = hasOne(Country.self, through: mentor, using: country, key: "mentorCountry")
  static let tally = association(to: Tally.table) { $0[Column("id")] == $1[Column("writerId")] }
  static let links: [String: any Link<Self>] = [
    "country": ToOne(country), "mentor": ToOne(mentor), "disciples": ToMany(disciples),
    "profile": ToOne(profile), "books": ToMany(books), "translations": ToMany(translations),
    "awards": ToMany(awards), "editions": ToMany(editions), "printings": ToMany(printings),
    "citizenships": ToMany(citizenships), "nations": ToMany(nations),
    "discipleCountries": ToMany(discipleCountries), "mentorCountry": ToOne(mentorCountry),
    "tally": JoinedOnly(tally),
  ]

  var id: Int?
  var name: String?
  var birthYear: Int?
  var countryCode: String?
  var mentorId: Int?
}

struct Profile: Model {
  static let author = belongsTo(Author.self)
  static let links: [String: any Link<Self>] = ["author": ToOne(author)]

  var id: Int?
  var authorId: Int?
  var motto: String?
}

struct Book: Model {
  enum Kind: String, Decodable, DatabaseValueConvertible { case novel, essay, play }

  static let author = belongsTo(Author.self)
  static let translator = belongsTo(Author.self, key: "translator", using: ForeignKey(["translatorId"]))
  static let awards = hasMany(Award.self)
  static let editions = hasMany(Edition.self)
  static let printings = hasMany(Printing.self, through: editions, using: Edition.printings)
  static let country = hasOne(Country.self, through: author, using: Author.country)
  static let profile = hasOne(Profile.self, through: author, using: Author.profile)
  static let links: [String: any Link<Self>] = [
    "author": ToOne(author), "translator": ToOne(translator), "awards": ToMany(awards),
    "editions": ToMany(editions), "printings": ToMany(printings), "country": ToOne(country),
    "profile": ToOne(profile),
  ]

  var id: Int?
  var authorId: Int?
  var translatorId: Int?
  var title: String?
  var kind: Kind?
  var year: Int?
  var price: Double?
}

struct Award: Model {
  static let book = belongsTo(Book.self)
  static let author = hasOne(Author.self, through: book, using: Book.author)
  static let links: [String: any Link<Self>] = ["book": ToOne(book), "author": ToOne(author)]

  var id: Int?
  var bookId: Int?
  var name: String?
  var grade: Int?
}

struct Edition: Model {
  static let book = belongsTo(Book.self)
  static let printings = hasMany(Printing.self)
  static let links: [String: any Link<Self>] = ["book": ToOne(book), "printings": ToMany(printings)]

  var bookId: Int?
  var number: Int?
  var pages: Int?
}

struct Printing: Model {
  static let edition = belongsTo(Edition.self)
  static let book = hasOne(Book.self, through: edition, using: Edition.book)
  static let links: [String: any Link<Self>] = ["edition": ToOne(edition), "book": ToOne(book)]

  var id: Int?
  var bookId: Int?
  var number: Int?
  var copies: Int?
}

struct Citizenship: Model {
  static let country = belongsTo(Country.self)
  static let author = belongsTo(Author.self)
  static let links: [String: any Link<Self>] = ["country": ToOne(country), "author": ToOne(author)]

  var countryCode: String?
  var authorId: Int?
  var since: Int?
}

/// The number of books of each author, a common table expression.
struct Tally: Model {
  #if GRDB_SIDE
    static var table: CommonTableExpression<Tally> {
      CommonTableExpression(named: "tally", sql: TypedModel.tallySQL)
    }
  #else
    static let table = CommonTableExpression(named: "tally", sql: TypedModel.tallySQL, as: Tally.self)
  #endif
  static let links: [String: any Link<Self>] = [:]

  var writerId: Int?
  var number: Int?
}

/// The record types by the names of their tables.
let models: [String: any Model.Type] = [
  "country": Country.self, "author": Author.self, "profile": Profile.self, "book": Book.self,
  "award": Award.self, "edition": Edition.self, "printing": Printing.self, "citizenship": Citizenship.self,
]
