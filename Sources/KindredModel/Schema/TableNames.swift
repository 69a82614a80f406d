/// The forms of a table's name from which resource names and association keys are made.
struct TableNames {
  /// The singular in lowerCamelCase: `lineItem` for both `line_item` and `line_items`.
  let singular: String
  /// The plural in lowerCamelCase: `lineItems` for both `line_item` and `line_items`.
  let plural: String
  /// The table's name in lowerCamelCase.
  let camelCased: String

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
