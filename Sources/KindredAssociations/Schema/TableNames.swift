/// The names that resources and association keys take from the name of a table.
struct TableNames {
  /// `lineItem`, of `line_items` too.
  let singular: String
  /// `lineItems`, of `line_item` too.
  let plural: String
  /// The table's name in lowerCamelCase.
  let camelCased: String

  /// The table's name singularised, then pluralised, in lowerCamelCase.
  init(_ name: String) {
    var words = IdentifierWords(name).lowerCamelCaseWords
    guard let last = words.popLast() else {
      (singular, plural, camelCased) = (name, name, name)
      return
    }
    let start = words.joined()
    camelCased = start + last
    let lastSingular = Inflector.inflect(last[...], to: .singular, isInCapitals: false)
    singular = start + lastSingular
    plural = start + Inflector.inflect(lastSingular[...], to: .plural, isInCapitals: false)
  }
}
