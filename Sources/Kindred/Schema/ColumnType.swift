/// The declared type of a column, from which SQLite takes the affinity
/// (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
public struct ColumnType: RawRepresentable, Hashable, Sendable {
  /// The type as it stands in `CREATE TABLE`.
  public let rawValue: String

  /// The type of that name: text of the program, not of its users.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Text.
  public static let text = ColumnType(rawValue: "TEXT")
  /// Integers.
  public static let integer = ColumnType(rawValue: "INTEGER")
  /// Reals.
  public static let double = ColumnType(rawValue: "DOUBLE")
  /// Reals.
  public static let real = ColumnType(rawValue: "REAL")
  /// Numbers of any kind.
  public static let numeric = ColumnType(rawValue: "NUMERIC")
  /// 0 and 1.
  public static let boolean = ColumnType(rawValue: "BOOLEAN")
  /// Bytes.
  public static let blob = ColumnType(rawValue: "BLOB")
  /// Days.
  public static let date = ColumnType(rawValue: "DATE")
  /// Days with a time.
  public static let datetime = ColumnType(rawValue: "DATETIME")
  /// JSON text.
  public static let jsonText = ColumnType(rawValue: "JSONTEXT")
  /// Whatever is put in; for tables that are `STRICT`.
  public static let any = ColumnType(rawValue: "ANY")
}

/// What happens to a row when the one that it refers to is deleted, or its key is changed
/// (<https://www.sqlite.org/foreignkeys.html#fk_actions>).
public enum ForeignKeyAction: String, Sendable {
  /// The row is deleted, or follows.
  case cascade = "CASCADE"
  /// The change is refused at once.
  case restrict = "RESTRICT"
  /// The columns become NULL.
  case setNull = "SET NULL"
  /// The columns get their default.
  case setDefault = "SET DEFAULT"
}

/// How texts are compared (<https://www.sqlite.org/datatype3.html#collating_sequences>).
public struct CollationName: RawRepresentable, Hashable, Sendable {
  /// The name of the collation.
  public let rawValue: String

  /// The collation of that name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Byte by byte.
  public static let binary = CollationName(rawValue: "BINARY")
  /// The letters A to Z in any case.
  public static let nocase = CollationName(rawValue: "NOCASE")
  /// Spaces at the end don't count.
  public static let rtrim = CollationName(rawValue: "RTRIM")
}

/// The collations of Foundation, which every connection of this library has, and other programs don't.
///
/// Tables and indexes that name one can only be read by a program that defines it as well. An index by one of the
/// `localized` collations is only right for programs in one locale.
extension CollationName {
  /// Unicode texts, as `String.compare(_:)` compares them.
  public static let unicodeCompare = CollationName(rawValue: "swiftCompare")
  /// Unicode texts without case, as `String.caseInsensitiveCompare(_:)` compares them.
  public static let caseInsensitiveCompare = CollationName(rawValue: "swiftCaseInsensitiveCompare")
  /// As the user's language orders words: `String.localizedCompare(_:)`.
  public static let localizedCompare = CollationName(rawValue: "swiftLocalizedCompare")
  /// As the user's language orders words, without case: `String.localizedCaseInsensitiveCompare(_:)`.
  public static let localizedCaseInsensitiveCompare = CollationName(
    rawValue: "swiftLocalizedCaseInsensitiveCompare")
  /// As file managers order names, numbers by their value: `String.localizedStandardCompare(_:)`.
  public static let localizedStandardCompare = CollationName(rawValue: "swiftLocalizedStandardCompare")
}
