/// The settings that decide how PostgreSQL reads and writes values and texts, and what they must be.
///
/// They apply to each session, and again to each transaction, since a pooler may change the session; a role's own values
/// for them never apply.
public enum ValueSettings {
  /// The names and values.
  static let all: [(name: String, value: String)] = [
    ("DateStyle", "ISO, YMD"), ("TimeZone", "UTC"), ("IntervalStyle", "postgres"),
    ("extra_float_digits", "1"), ("bytea_output", "hex"), ("standard_conforming_strings", "on"),
    ("backslash_quote", "safe_encoding"), ("array_nulls", "on"), ("transform_null_equals", "off"),
    ("quote_all_identifiers", "off"), ("xmlbinary", "base64"), ("xmloption", "content"),
    ("row_security", "on"),
  ]

  /// Calls of `set_config` that apply them to the session, separated by commas.
  static let ofSession = calls(isLocal: false)

  /// The same, which apply them until the transaction ends.
  public static let ofTransaction = calls(isLocal: true)

  private static func calls(isLocal: Bool) -> String {
    all.map { "set_config('\($0.name)', '\($0.value)', \(isLocal))" }.joined(separator: ", ")
  }

  /// Assignments as they follow `SET`.
  public static let assignments = all.map { "\($0.name) TO '\($0.value)'" }

  /// The names in lower case, as a list of texts of SQL.
  public static let names = all.map { "'\($0.name.lowercased())'" }.joined(separator: ", ")
}
