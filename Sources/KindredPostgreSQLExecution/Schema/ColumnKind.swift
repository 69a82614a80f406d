import KindredAssociations

/// How the text of a value is written, by its type.
enum ColumnKind: UInt8 {
  /// The digits as they are.
  case integer
  /// The digits as they are; what is no number otherwise.
  case numeric
  /// In the shortest form.
  case real
  case boolean
  /// A string, or whatever else has none of the other forms.
  case text
  /// Base64.
  case bytes
  /// JSON as it is, without white space.
  case json
  /// With a `T`.
  case timestamp
  /// The same with hours and minutes of the zone.
  case timestampWithTimeZone

  /// By the OID of a type (`pg_type.dat` of PostgreSQL).
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

  /// By the name that `format_type` gives.
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

  /// What SQLite would call it, for whatever asks whether values are numbers.
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
