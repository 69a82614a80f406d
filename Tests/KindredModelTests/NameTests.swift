import Testing

@testable import KindredModel

@Suite struct NameTests {
  @Test(arguments: [
    ("author", "authors"), ("Album", "albums"), ("Order Details", "orderDetails"),
    ("Categories", "categories"),
    ("postal_address", "postalAddresses"), ("person", "people"), ("People", "people"), ("copy", "copies"),
    ("demographics", "demographics"), ("bookTag", "bookTags"), ("sheep", "sheep"), ("mouse", "mice"),
    ("gift-card", "giftCards"), ("HTTPRequest", "httpRequests"), ("TOEFL", "toefls"),
    ("logEntry", "logEntries"),
    ("ORDER_DETAIL", "orderDetails"), ("BOOK", "books"), ("MediaType", "mediaTypes"),
    ("film_text", "filmTexts"),
    ("EmployeeTerritories", "employeeTerritories"), ("CustomerCustomerDemo", "customerCustomerDemos"),
    ("human", "humans"), ("line-item_child", "lineItemChildren"), ("userIDs", "userIDs"), ("URLs", "urls"),
    ("2fa_code", "2faCodes"), ("2024", "2024"), ("sales_2024", "sales2024"), ("book2", "books2"),
    ("_migration", "migrations"), ("it's", "itS"), ("\"quoted\" thing", "quotedThings"), ("a.b", "aBs"),
    ("élève", "élèves"), ("Über_Größe", "überGrößes"), ("日本", "日本"), ("Кот", "кот"),
    ("devices_v16", "devicesV16"), ("!!!", "!!!"), ("", ""),
    ("iPhone", "iPhones"), ("x-ray", "xRays"), ("X-Ray", "xRays"), ("data", "data"), ("status", "statuses"),
  ])
  func `a resource is called as its table, singularised, then pluralised, in lowerCamelCase`(
    table: String, resource: String
  ) {
    #expect(TableNames(table).plural == resource)
  }

  @Test(arguments: [
    ("authers", "authors"), ("boks", "books"), ("nmae", "name"), ("tilte", "title"), ("author", "authors"),
    ("bokCount", "bookCount"), ("NAME", "name"), ("auhtors", "authors"), ("bookz", "books"),
    ("Titel", "title"),
    ("naem", "name"), ("book", "books"), ("desc", "description"),
  ])
  func `an unknown name has the nearest existing ones for suggestions`(name: String, nearest: String) {
    let names = ["id", "name", "title", "year", "authors", "books", "reviews", "bookCount", "description"]
    #expect(NameSuggestion.nearest(to: name, among: names).first == nearest)
  }

  @Test
  func `the nearest names are found among those of any script, and looked for among a bounded number`() {
    #expect(NameSuggestion.nearest(to: "größe", among: ["grösse", "größer", "gr"]) == ["größer"])
    #expect(
      NameSuggestion.nearest(to: "book", among: ["book" + String(repeating: "x", count: 60)]).count == 1)
    let many = (0..<NameSuggestion.maximumCount).map { "name\($0)" }
    #expect(NameSuggestion.nearest(to: "book", among: many.dropLast() + ["books"]) == ["books"])
    #expect(NameSuggestion.nearest(to: "book", among: many + ["books"]) == [])
  }

  @Test(arguments: ["", "x", "zebra", "crocodile", "éè", "-"])
  func `what is near to nothing has none`(name: String) {
    #expect(NameSuggestion.nearest(to: name, among: ["name", "title", "year", "", "books"]) == [])
  }

  @Test
  func `there are three at most, the nearest first, each once`() {
    let names = ["cart", "card", "cards", "care", "card", "ward", "cared"]
    #expect(NameSuggestion.nearest(to: "card", among: names) == ["card", "cart", "cards"])
  }

  @Test
  func `what is long costs nothing`() {
    let long = String(repeating: "a", count: 1_000_000)
    #expect(NameSuggestion.nearest(to: long, among: [long, "a"]) == [])
    #expect(NameSuggestion.nearest(to: "aaaa", among: [long]) == [])
    let many = (0..<20_000).lazy.map { "table\($0)" }
    #expect(NameSuggestion.nearest(to: "tabel77", among: many).first == "table77")
  }
}
