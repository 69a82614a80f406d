extension URLQuery {
  /// The name of the only parameter with an expression that isn't just names; nil if there is none or several.
  ///
  /// It locates an expression without a value, because databases don't report where such an error comes from.
  package var onlyExpression: String? {
    let found = parameters.compactMap { parameter -> String? in
      guard let name = try? decodedName(parameter) else { return nil }
      let known = RequestParameter.all.first { name == $0.name || name.hasSuffix("." + $0.name) }
      switch known?.value {
      case .namedExpressions, .fields, .expression, .expressions, .sort:
        return value(parameter).utf8.allSatisfy(Self.charactersOfNames.contains) ? nil : name
      // The name of a column, whose value is a literal.
      case nil: return name
      case .includes, .boolean, .count, .pattern, .cursor, .words: return nil
      }
    }
    return found.count == 1 ? found.first : nil
  }

  /// The characters of names, and what stands between them.
  private static let charactersOfNames = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,-".utf8)
}
