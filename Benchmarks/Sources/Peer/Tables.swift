import GRDB

struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
  var name: String
}

struct Author: Codable, FetchableRecord, TableRecord {
  static let country = belongsTo(Country.self)
  static let books = hasMany(Book.self)
  static let paintings = hasMany(Painting.self)

  var id: Int64
  var name: String
  var countryCode: String?
  var birthYear: Int
  var deathYear: Int?
}

struct Book: Codable, FetchableRecord, TableRecord {
  static let author = belongsTo(Author.self)
  static let reviews = hasMany(Review.self)

  var id: Int64
  var authorId: Int64
  var title: String
  var kind: String
  var year: Int
  var price: Double
}

struct Review: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var bookId: Int64
  var rating: Int
  var body: String
}

struct Painting: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var authorId: Int64
  var title: String
  var year: Int
}
