/// The declared type of a column, which determines its affinity
/// (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
public struct ColumnType: RawRepresentable, Hashable, Sendable {
  /// The type as it is written in `CREATE TABLE`.
  public let rawValue: String

  /// Creates a type from its name, which becomes part of the SQL and must not come from users of the program.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The type of texts.
  public static let text = ColumnType(rawValue: "TEXT")
  /// The type of integers.
  public static let integer = ColumnType(rawValue: "INTEGER")
  /// A type of floating-point numbers.
  public static let double = ColumnType(rawValue: "DOUBLE")
  /// A type of floating-point numbers.
  public static let real = ColumnType(rawValue: "REAL")
  /// The type of integers and floating-point numbers.
  public static let numeric = ColumnType(rawValue: "NUMERIC")
  /// The type of Booleans, stored as 0 and 1.
  public static let boolean = ColumnType(rawValue: "BOOLEAN")
  /// The type of bytes.
  public static let blob = ColumnType(rawValue: "BLOB")
  /// The type of dates without a time.
  public static let date = ColumnType(rawValue: "DATE")
  /// The type of dates with a time.
  public static let datetime = ColumnType(rawValue: "DATETIME")
  /// The type of JSON texts.
  public static let jsonText = ColumnType(rawValue: "JSONTEXT")
  /// JSON in SQLite's binary format, which needs SQLite 3.45.
  public static let jsonb = ColumnType(rawValue: "JSONB")
  /// The type of columns in `STRICT` tables that hold values of any type.
  public static let any = ColumnType(rawValue: "ANY")
}

/// What happens to a row when the row it refers to is deleted or its key is changed
/// (<https://www.sqlite.org/foreignkeys.html#fk_actions>).
public enum ForeignKeyAction: String, Sendable {
  /// The row is deleted too, or its columns take the changed key.
  case cascade = "CASCADE"
  /// The change is forbidden immediately, even if the constraint is deferred.
  case restrict = "RESTRICT"
  /// The referring columns become NULL.
  case setNull = "SET NULL"
  /// The referring columns take their default values.
  case setDefault = "SET DEFAULT"
}

/// The name of a collation, by which texts are compared
/// (<https://www.sqlite.org/datatype3.html#collating_sequences>).
public struct CollationName: RawRepresentable, Hashable, Sendable {
  /// The name of the collation.
  public let rawValue: String

  /// Creates the name of a collation.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Compares byte by byte.
  public static let binary = CollationName(rawValue: "BINARY")
  /// Ignores the case of the letters A to Z.
  public static let nocase = CollationName(rawValue: "NOCASE")
  /// Ignores trailing spaces.
  public static let rtrim = CollationName(rawValue: "RTRIM")
}

/// Collations based on Foundation, which all connections of this library define.
///
/// Other programs can use tables and indexes with such a collation only if they define it too. An index that uses
/// one of the `localized` collations is valid only for programs with the same locale.
extension CollationName {
  /// Compares Unicode texts as `String.compare(_:)` does.
  public static let unicodeCompare = CollationName(rawValue: "swiftCompare")
  /// Compares Unicode texts ignoring case, as `String.caseInsensitiveCompare(_:)` does.
  public static let caseInsensitiveCompare = CollationName(rawValue: "swiftCaseInsensitiveCompare")
  /// Compares by the rules of the user's language, as `String.localizedCompare(_:)` does.
  public static let localizedCompare = CollationName(rawValue: "swiftLocalizedCompare")
  /// Compares by the rules of the user's language ignoring case, as `String.localizedCaseInsensitiveCompare(_:)`
  /// does.
  public static let localizedCaseInsensitiveCompare = CollationName(
    rawValue: "swiftLocalizedCaseInsensitiveCompare")
  /// Compares as file managers order names, numbers by value, as `String.localizedStandardCompare(_:)` does.
  public static let localizedStandardCompare = CollationName(rawValue: "swiftLocalizedStandardCompare")
}
