/// The rules of Ruby on Rails' `active_support/inflections.rb`, with the additions of GRDB's
/// `Inflections+English.swift` and some words of Kindred's own. The first rule that applies wins; in Rails, the last.
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
    .stems(["t", "i"], ["a", "um"], to: "a"),
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
    .stems(["t", "i"], ["a"], to: "um"),
    .stems(["news"], to: ""),
    .stems(["ss"], to: ""),
    .notAfter("", "s", to: ""),
  ]

  /// Words that are their own plural.
  static let uncountableWords: Set<String> = [
    "equipment", "information", "rice", "money", "species", "series", "fish", "sheep", "jeans", "police",
    "advice", "corps", "dice", "kudos", "offspring",
    "demographics",
  ]

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
