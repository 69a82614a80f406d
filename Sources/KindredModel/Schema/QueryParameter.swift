import KindredSQLSyntax

/// A parameter of a common table expression: a value that a request or an association gives, and that is always bound.
public struct QueryParameter: Sendable, Hashable {
  /// The types of parameters.
  public enum Kind: String, Sendable, CaseIterable {
    case text, integer, real, boolean
  }

  /// The name, without the colon.
  public let name: String
  /// The type of its values.
  public let kind: Kind
  /// The value where none is given, which may be NULL; nil if one must be given.
  public let defaultValue: SQLValue?

  /// Creates a parameter; without a default value, it is required.
  public init(name: String, kind: Kind, defaultValue: SQLValue? = nil) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
  }

  /// Whether a value must be given.
  public var isRequired: Bool { defaultValue == nil }

  /// Returns whether a name consists of ASCII letters, digits and `_`.
  public static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isOfParameterName)
  }
}

extension QueryParameter.Kind {
  /// Returns the value that a text stands for; nil if it stands for none.
  public func value(of text: String) -> SQLValue? {
    switch self {
    case .text: text.utf8.contains(0) ? nil : .text(text)
    case .integer: Self.isInteger(text) ? Int64(text).map(SQLValue.integer) : nil
    case .real: Self.isNumber(text) ? Double(text).flatMap { $0.isFinite ? .real($0) : nil } : nil
    case .boolean:
      switch text {
      case "true": .integer(1)
      case "false": .integer(0)
      default: nil
      }
    }
  }

  /// Returns the text that stands for a value; nil for NULL.
  public func text(of value: SQLValue) -> String? {
    switch value {
    case .integer(let number): self == .boolean ? String(number != 0) : String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .null, .blob: nil
    }
  }

  /// The form of its values, as error messages describe it.
  public var form: String {
    switch self {
    case .text: "a text without NUL characters"
    case .integer: "digits, with `-` if negative, within 64 bits"
    case .real: "a JSON number, such as `20` or `-0.5`"
    case .boolean: "`true` or `false`"
    }
  }

  private static func isInteger(_ text: String) -> Bool {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns whether a text is a number of JSON (<https://www.rfc-editor.org/rfc/rfc8259#section-6>).
  private static func isNumber(_ text: String) -> Bool {
    text.wholeMatch(of: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/) != nil
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII letter, a digit or `_`.
  var isOfParameterName: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: false
    }
  }
}
