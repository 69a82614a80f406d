import Foundation

// Functions of Foundation and of Swift on texts, which every connection has; other values stay as they are.

extension DatabaseFunction {
  /// The text with its words capitalized.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }
  /// The text in lower case, in all scripts.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }
  /// The text in upper case, in all scripts.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }
  /// The text with its words capitalized as the current locale has it.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }
  /// The text in lower case as the current locale has it.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") { $0.localizedLowercase }
  /// The text in upper case as the current locale has it.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") { $0.localizedUppercase }

  /// All of them.
  static let texts = [
    capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
  ]

  private static func text(
    _ name: String, _ transform: @escaping @Sendable (String) -> String
  ) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 1, pure: true) { values in
      guard let value = values.first else { return nil }
      return String.fromDatabaseValue(value).map(transform) ?? value
    }
  }
}

extension SQLSpecificExpressible {
  /// The text with its words capitalized.
  public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }
  /// The text with its words capitalized as the current locale has it.
  public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(sqlExpression) }
  /// The text in lower case as the current locale has it.
  public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(sqlExpression) }
  /// The text in upper case as the current locale has it.
  public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(sqlExpression) }
}
