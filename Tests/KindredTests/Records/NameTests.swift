import Kindred
import Testing

private struct LineItem: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var orderId: Int64
  var price: Int
}

private struct Mouse: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var houseId: Int64
  var size: Int
}

private struct Person: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  var houseId: Int64
}

private struct House: Codable, FetchableRecord, PersistableRecord, Hashable {
  var id: Int64
  static let mice = hasMany(Mouse.self)
  static let people = hasMany(Person.self)
  static let books = hasMany(HouseBook.self)
  static let lineItems = hasMany(LineItem.self, using: ForeignKey(["orderId"]))
  static let addresses = hasMany(PostalAddress.self, key: "postalAddresses")
  static let address = hasOne(PostalAddress.self, key: "postalAddress")
  static let cheval = hasMany(Cheval.self).forKey("chevaux")
  static let wards = hasMany(Ward.self)
}

private struct HouseBook: TableRecord { static let databaseTableName = "book" }
private struct PostalAddress: TableRecord { static let databaseTableName = "postal_address" }
private struct Cheval: TableRecord {}
private struct Ward: TableRecord { static let databaseTableName = "wards" }

@Suite("Names of associations")
struct NameTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE house (id INTEGER PRIMARY KEY);
          CREATE TABLE book (id INTEGER PRIMARY KEY, houseId INTEGER REFERENCES house);
          CREATE TABLE lineItem (id INTEGER PRIMARY KEY, orderId INTEGER, price INTEGER);
          CREATE TABLE mouse (id INTEGER PRIMARY KEY, houseId INTEGER REFERENCES house, size INTEGER);
          CREATE TABLE person (id INTEGER PRIMARY KEY, houseId INTEGER REFERENCES house);
          CREATE TABLE postal_address (id INTEGER PRIMARY KEY, house_id INTEGER REFERENCES house);
          CREATE TABLE cheval (id INTEGER PRIMARY KEY, houseId INTEGER REFERENCES house);
          CREATE TABLE wards (id INTEGER PRIMARY KEY, houseId INTEGER REFERENCES house);
          INSERT INTO house VALUES (1);
          """)
    }
  }

  /// Returns the key of a collection, the key of a joined record, and the name of an aggregate.
  private func names<A: AssociationToMany<House, Destination>, Destination>(
    _ association: A, _ aggregate: AssociationAggregate<House>
  ) throws -> [String?] {
    try queue.read { db throws in
      let request = House.including(all: association).including(optional: association).annotated(
        with: aggregate)
      let row = try #require(try Row.fetchOne(db, request))
      return [row.scopes.names.first, row.prefetchedRows.keys.first, row.columnNames.last]
    }
  }

  @Test
  func `S47, S48, S49, S341, S357: book: book joined, books fetched along, bookCount`() throws {
    #expect(try names(House.books, House.books.count) == ["book", "books", "bookCount"])
  }

  @Test
  func `S50: lineItem: lineItems, lineItemPriceSum`() throws {
    #expect(
      try names(House.lineItems, House.lineItems.sum(Column("price")))
        == ["lineItem", "lineItems", "lineItemPriceSum"])
  }

  @Test
  func `S51: mouse: mice, maxMouseSize`() throws {
    #expect(try names(House.mice, House.mice.max(Column("size"))) == ["mouse", "mice", "maxMouseSize"])
  }

  @Test
  func `S52: person: people, personCount`() throws {
    #expect(try names(House.people, House.people.count) == ["person", "people", "personCount"])
  }

  @Test
  func `S41, S46, S341: other tables keep their names, or have keys of the program`() throws {
    try queue.read { db throws in
      let row = try #require(
        try Row.fetchOne(db, House.including(all: House.addresses).including(optional: House.address)))
      #expect(row.scopes.names == ["postalAddress"])
      #expect(row.prefetchedRows.keys == ["postalAddresses"])
    }
    // A plural name is singularized for a single record.
    #expect(try names(House.wards, House.wards.count) == ["ward", "wards", "wardCount"])
  }

  @Test
  func `S53: words that are not English have keys of the program`() throws {
    #expect(try names(House.cheval, House.cheval.count.forKey("n"))[1] == "chevaux")
  }
}
