import KindredModel

/// The kind of a column, which determines how its values are written.
enum ColumnKind: UInt8 {
  /// An integer, whose digits are written unchanged.
  case integer
  /// A decimal number, whose digits are written unchanged.
  case numeric
  /// A floating-point number, written in its shortest form.
  case real
  case boolean
  /// A string, or any other type, written as a string.
  case text
  /// Bytes, written in base64.
  case bytes
  /// JSON, written unchanged except for white space.
  case json
  /// A timestamp, written with a `T`.
  case timestamp
  /// A timestamp with its zone, written with hours and minutes.
  case timestampWithTimeZone

  /// Returns the bits of a type's integers; 64 for other types.
  static func integerBits(typeName: String) -> Int {
    switch typeName {
    case "smallint": 16
    case "integer": 32
    default: 64
    }
  }

  /// Creates the kind of a type's OID (`pg_type.dat` of PostgreSQL).
  init(oid: UInt32) {
    self =
      switch oid {
      case 20, 21, 23: .integer
      case 1700: .numeric
      case 700, 701: .real
      case 16: .boolean
      case 17: .bytes
      case 114, 3802: .json
      case 1114: .timestamp
      case 1184: .timestampWithTimeZone
      default: .text
      }
  }

  /// Creates the kind of a type's name, as `format_type` returns it.
  init(typeName: String) {
    self =
      switch typeName.prefix(while: { $0 != "(" }) {
      case "smallint", "integer", "bigint": .integer
      case "numeric": .numeric
      case "real", "double precision": .real
      case "boolean": .boolean
      case "bytea": .bytes
      case "json", "jsonb": .json
      default: .text
      }
    if typeName.hasSuffix("[]") { self = .text }
  }

  /// The name of the database's collation, which columns have by default.
  static let defaultCollation = "default"

  /// The corresponding affinity of SQLite, by which the planner decides whether values are numbers.
  var affinity: Column.Affinity {
    switch self {
    case .integer: .integer
    case .numeric: .numeric
    case .real: .real
    case .boolean: .numeric
    case .bytes: .blob
    case .text, .json, .timestamp, .timestampWithTimeZone: .text
    }
  }
}
