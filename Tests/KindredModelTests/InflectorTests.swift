import Testing

@testable import KindredModel

@Suite struct InflectorTests {
  /// Singular and plural of words that Rails' and GRDB's tests name, and of many that schemas use.
  static let words: [(singular: String, plural: String)] = pairs(
    """
    search searches, switch switches, fix fixes, box boxes, process processes, address addresses, case cases,
    stack stacks, wish wishes, fish fish, jeans jeans, category categories, query queries, ability abilities,
    agency agencies, movie movies, archive archives, index indices, wife wives, half halves, move moves,
    salesperson salespeople, person people, spokesman spokesmen, man men, woman women, basis bases,
    diagnosis diagnoses, datum datums, medium mediums, stadium stadiums, data data, metadata metadata, meta meta, media media, analysis analyses, child children,
    experience experiences, day days, comment comments, foobar foobars, newsletter newsletters, news news,
    series series, miniseries miniseries, species species, quiz quizzes, perspective perspectives, ox oxen,
    photo photos, buffalo buffaloes, tomato tomatoes, dwarf dwarves, elf elves, information information,
    equipment equipment, bus buses, status statuses, mouse mice, louse lice, house houses, octopus octopi,
    virus viri, alias aliases, portfolio portfolios, vertex vertices, matrix matrices, axis axes, taxi taxis,
    testis testes, crisis crises, rice rice, shoe shoes, horse horses, prize prizes, edge edges,
    database databases, slice slices, police police, specimen specimens, canvas canvases, corps corps,
    offspring offspring, advice advice, thesis theses, dice dice, kudos kudos, sex sexes, zombie zombies,
    money money, sheep sheep, demographics demographics, foot feet, leaf leaves, hero heroes, tooth teeth,
    goose geese, human humans, german germans, roman romans, shaman shamans, talisman talismans,
    chairman chairmen, businesswoman businesswomen, grandchild grandchildren, firefighter firefighters,
    author authors, book books, country countries, city cities, painting paintings, review reviews,
    citizen citizens, passport passports, citizenship citizenships, employee employees, team teams,
    player players, library libraries, copy copies, edition editions, loan loans, entry entries,
    setting settings, measure measures, sample samples, order orders, card cards, health healths,
    summary summaries, text texts, album albums, artist artists, track tracks, playlist playlists, genre genres,
    invoice invoices, line lines, customer customers, type types, user users, role roles, permission permissions,
    group groups, session sessions, token tokens, key keys, value values, tag tags, post posts, page pages,
    message messages, file files, folder folders, image images, video videos, event events, ticket tickets,
    product products, price prices, cart carts, payment payments, currency currencies, company companies,
    branch branches, department departments, office offices, warehouse warehouses, supply supplies,
    supplier suppliers, shipment shipments, delivery deliveries, journey journeys, boy boys, monkey monkeys,
    survey surveys, reply replies, story stories, party parties, property properties, factory factories,
    class classes, course courses, lesson lessons, grade grades, university universities, faculty faculties,
    bench benches, match matches, watch watches, coach coaches, church churches, batch batches, patch patches,
    dish dishes, brush brushes, tax taxes, suffix suffixes, prefix prefixes, appendix appendixes, hex hexes,
    glass glasses, boss bosses, access accesses, success successes, business businesses, mess messes,
    knife knives, life lives, wolf wolves, shelf shelves, calf calves, self selves, scarf scarves,
    roof roofs, chief chiefs, belief beliefs, cliff cliffs, café cafés, cookie cookies, cache caches, drive drives,
    glove gloves, olive olives, curve curves, valve valves, wave waves, slave slaves, native natives, hive hives,
    objective objectives, radio radios, piano pianos, zoo zoos, studio studios, menu menus, survey surveys,
    bacterium bacteria, aquarium aquariums, museum museums, premium premiums, stratum strata, memorandum memoranda, erratum errata,
    addendum addenda, curriculum curricula, criterion criteria, phenomenon phenomena, quota quotas, delta deltas,
    formula formulas, guru gurus, sku skus, cpu cpus, id ids, ip ips, vm vms, cv cvs, album albums, quay quays, soliloquy soliloquies, tree trees, employee employees,
    hypothesis hypotheses, synopsis synopses, parenthesis parentheses, prognosis prognoses, syllabus syllabuses,
    mouth mouths, month months, path paths, graph graphs, staff staffs, name names, date dates, size sizes,
    judge judges, league leagues, rate rates, score scores, game games, treaty treaties, word words, award awards
    """)

  static func pairs(_ text: String) -> [(singular: String, plural: String)] {
    text.split(separator: ",").compactMap { pair in
      let words = pair.split { $0 == " " || $0 == "\n" }
      return words.count == 2 ? (String(words[0]), String(words[1])) : nil
    }
  }

  @Test
  func `the table is big, and read in full`() {
    #expect(Self.words.count > 240)
  }

  @Test(arguments: words)
  func `a singular has its plural, and a plural is its own`(singular: String, plural: String) {
    #expect(Inflector.plural(singular) == plural)
    #expect(Inflector.plural(plural) == plural)
  }

  @Test(arguments: words)
  func `a plural has its singular, and a singular is its own`(singular: String, plural: String) {
    #expect(Inflector.singular(plural) == singular)
    #expect(Inflector.singular(singular) == singular)
  }

  @Test(arguments: [
    "gas", "lens", "atlas", "campus", "bonus", "census", "corpus", "focus", "sys", "dns", "sms", "gps", "css",
    "rss", "tls", "cms", "bbs", "os", "v16", "t1", "mp3", "3d", "日本語", "Кот", "Кот2", "as",
  ])
  func `is its own singular and plural`(word: String) {
    #expect(Inflector.singular(word) == word)
    #expect(Inflector.plural(word) == word)
  }

  @Test(arguments: ["indexes", "cargoes", "dwarfs"])
  func `a word that isn't the plural of what would be its singular is a singular`(word: String) {
    #expect(Inflector.singular(word) == word)
  }

  @Test(arguments: pairs("viruse viruses, bia bias, chao chaos, save saves").map { ($0.plural, $0.singular) })
  func `reproduces Rails' inflection errors, so that names are predictable`(
    word: String, singular: String
  ) {
    #expect(Inflector.singular(word) == singular)
    #expect(Inflector.plural(singular) == word)
  }

  @Test(arguments: [
    ("lineItem", "lineItems"), ("LineItem", "LineItems"), ("postal_address", "postal_addresses"),
    ("Order Detail", "Order Details"), ("gift-card", "gift-cards"), ("node_child", "node_children"),
    ("nodeChild", "nodeChildren"), ("salesPerson", "salesPeople"), ("diagnosis_plan", "diagnosis_plans"),
    ("old_news", "old_news"), ("my money", "my money"), ("status_code", "status_codes"),
    ("matrix_foo", "matrix_foos"), ("computerMouse", "computerMice"), ("rawData", "rawData"),
    ("spatial_ref_sys", "spatial_ref_sys"), ("states_meta", "states_meta"), ("devices_v16", "devices_v16"),
    ("train_status", "train_statuses"),
    ("HTTPRequest", "HTTPRequests"), ("userID", "userIDs"), ("pageURL", "pageURLs"),
    ("area51Unit", "area51Units"),
  ])
  func `the last word of a compound is inflected`(singular: String, plural: String) {
    #expect(Inflector.plural(singular) == plural)
    #expect(Inflector.plural(plural) == plural)
    #expect(Inflector.singular(plural) == singular)
    #expect(Inflector.singular(singular) == singular)
  }

  @Test(arguments: [
    ("book2", "books2"), ("book_", "books_"), ("book 2", "book 2"), ("area_51", "area_51"),
    ("2024", "2024"),
    ("", ""), ("___", "___"), ("child2", "children2"), ("line item #", "line items #"), ("%", "%"),
  ])
  func `digits and separators at the end stay, and so does a last word without letters`(
    singular: String, plural: String
  ) {
    #expect(Inflector.plural(singular) == plural)
    #expect(Inflector.singular(plural) == singular)
  }

  @Test(arguments: [
    ("Person", "People"), ("PERSON", "PEOPLE"), ("BOOK", "BOOKS"), ("Mouse", "Mice"),
    ("lineMOUSE", "lineMICE"),
    ("ORDER_CHILD", "ORDER_CHILDREN"), ("SHEEP", "SHEEP"), ("Sheep", "Sheep"),
    ("été", "étés"), ("Éire", "Éires"), ("fe\u{301}e", "fe\u{301}es"),
  ])
  func `the case of a word is kept`(singular: String, plural: String) {
    #expect(Inflector.plural(singular) == plural)
    #expect(Inflector.singular(plural) == singular)
  }

  @Test
  func `one letter is a word, even an s`() {
    #expect(Inflector.singular("s") == "s")
    #expect(TableNames("tableS").plural == "tableS")
    #expect(TableNames("x").plural == "xes")
  }

  @Test
  func `no name whatever stops it, and none becomes empty`() {
    var random = SplitMix(seed: 1)
    let pieces = [
      "a", "S", "s", "es", "ies", "us", "x", "Y", "_", " ", "7", "é", "👍", "\u{301}", "ch", "man", "I", "f",
    ]
    for _ in 0..<5000 {
      let name = (0...Int.random(in: 0...6, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      let names = TableNames(name)
      for result in [Inflector.plural(name), Inflector.singular(name), names.singular, names.plural] {
        #expect(!result.isEmpty, "\(name)")
      }
    }
    #expect(Inflector.plural(String(repeating: "aB_", count: 100_000)).utf8.count > 300_000)
  }
}

/// A random number generator with a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
