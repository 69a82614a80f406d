/// The rules of Ruby on Rails' `active_support/inflections.rb`, with the additions of GRDB's
/// `Inflections+English.swift` and some words of Kindred's own. The first rule that applies wins; in Rails, the last.
///
/// Rails forms plurals in `-a` of all words in `-tum` and `-ium`, and singulars in `-um` of all in `-ta` and `-ia`; here
/// only the words of ``latinStems`` have them (`albums`, `quotas`).
extension Inflector {
  static let pluralRules: [InflectionRule] = [
    .stems(["canva"], ["s"], to: "ses"),
    .stems(["quiz"], to: "zes"),
    .whole(["oxen"], to: ""),
    .whole(["ox"], to: "en"),
    .whole(["m", "l"], ["ice", "ouse"], to: "ice"),
    .stems(["matr", "vert", "ind"], ["ix", "ex"], to: "ices"),
    .stems(["x", "ch", "ss", "sh"], to: "es"),
    .notAfter("aeiouy", "y", to: "ies"),
    .stems(["qu"], ["y"], to: "ies"),
    .stems(["hive"], to: "s"),
    .notAfter("f", "fe", to: "ves"),
    .stems(["l", "r"], ["f"], to: "ves"),
    .ending("sis", to: "ses"),
    .whole(latinStems, ["a", "um"], to: "a"),
    .whole(["criteri", "phenomen"], ["a", "on"], to: "a"),
    .stems(["buffal", "tomat", "her"], ["o"], to: "oes"),
    .stems(["bu"], ["s"], to: "ses"),
    .stems(["alias", "status"], to: "es"),
    .stems(["octop", "vir"], ["i", "us"], to: "i"),
    .whole(["ax", "test"], ["is"], to: "es"),
    .ending("s", to: "s"),
    .ending("", to: "s"),
  ]

  static let singularRules: [InflectionRule] = [
    .stems(["canvas"], ["es", ""], to: ""),
    .stems(["database"], ["s"], to: ""),
    .stems(["quiz"], ["zes"], to: ""),
    .stems(["matr"], ["ices"], to: "ix"),
    .stems(["vert", "ind"], ["ices"], to: "ex"),
    .whole(["ox"], ["en"], to: ""),
    .stems(["alias", "status"], ["es", ""], to: ""),
    .stems(["octop", "vir"], ["us", "i"], to: "us"),
    .whole(["ax"], ["is", "es"], to: "is"),
    .stems(["cris", "test"], ["is", "es"], to: "is"),
    .stems(["shoe"], ["s"], to: ""),
    .stems(["o"], ["es"], to: ""),
    .stems(["bus"], ["es", ""], to: ""),
    .whole(["m", "l"], ["ice"], to: "ouse"),
    .stems(["x", "ch", "ss", "sh"], ["es"], to: ""),
    .stems(["movie"], ["s"], to: ""),
    .stems(["series"], to: ""),
    .notAfter("aeiouy", "ies", to: "y"),
    .stems(["qu"], ["ies"], to: "y"),
    .stems(["l", "r"], ["ves"], to: "f"),
    .stems(["tive", "hive"], ["s"], to: ""),
    .notAfter("fa", "ves", to: "fe"),
    .stems(["analy", "ba", "diagno", "parenthe", "progno", "synop", "the"], ["sis", "ses"], to: "sis"),
    .whole(latinStems, ["a"], to: "um"),
    .whole(["criteri", "phenomen"], ["a"], to: "on"),
    .stems(["news"], to: ""),
    .stems(["ss"], to: ""),
    .notAfter("", "s", to: ""),
  ]

  /// The words in `-um` whose plural ends in `-a`, without these endings.
  private static let latinStems = words("strat memorand errat addend bacteri curricul")

  /// Words that are their own plural.
  static let uncountableWords = Set(
    words(
      """
      equipment information rice money species series fish sheep jeans police advice corps dice kudos offspring \
      demographics data metadata meta media lens atlas dns sms gps css rss tls cms bbs
      """))

  /// The plurals among the words that end as singulars do: in `-us`, and those of up to three letters in `-s`.
  static let pluralsLikeSingulars = Set(
    words("menus gurus skus cpus gpus ids ads ips ups vms tvs pcs cvs"))

  /// Irregular words in both numbers; they match whole words only (`man`, not `human`).
  static let irregularWords: [(singular: String, plural: String)] = {
    var pairs = [
      ("person", "people"), ("man", "men"), ("woman", "women"), ("child", "children"), ("sex", "sexes"),
      ("foot", "feet"), ("tooth", "teeth"), ("goose", "geese"), ("leaf", "leaves"),
    ]
    // Rails inflects these by their endings, which also turns `human` into `humen`.
    for start in words("sales spokes chair police fire crafts") {
      pairs += [(start + "person", start + "people")]
      pairs += [(start + "man", start + "men"), (start + "woman", start + "women")]
    }
    for start in words("business congress council camera fisher gentle mail post work") {
      pairs += [(start + "man", start + "men"), (start + "woman", start + "women")]
    }
    for start in words("grand god step school") {
      pairs += [(start + "child", start + "children")]
    }
    // Regular plurals whose endings mislead the rules for the singular (`cooky`, `drife`, `cach`, `to`).
    for word in words(
      """
      move zombie cookie calorie selfie brownie hoodie rookie smoothie prairie tie pie lie die \
      drive glove love dove stove groove olive dive sleeve eve curve nerve reserve valve adhesive explosive \
      cache avalanche headache moustache toe canoe
      """)
    {
      pairs += [(word, word + "s")]
    }
    return pairs
  }()

  private static func words(_ list: String) -> [String] { list.split(separator: " ").map(String.init) }
}
