import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension ValueType {
  static let integer = ValueType(kind: .integer, name: "int8")
  static let numeric = ValueType(kind: .numeric, name: "numeric")
  static let real = ValueType(kind: .real, name: "float8")
  static let boolean = ValueType(kind: .boolean, name: "bool")
  static let text = ValueType(kind: .text, name: "text")
  static let blob = ValueType(kind: .blob, name: "bytea")
  package static let json = ValueType(kind: .json, name: "jsonb")
  static let dynamic = ValueType(kind: .dynamic, name: "jsonb")
  static let money = ValueType(kind: .other, name: "money")
  static let objectNumber = ValueType(kind: .other, name: "oid")
  static let timestamp = ValueType(kind: .timestamp, name: "timestamp")

  /// Creates the type that `format_type` names (<https://www.postgresql.org/docs/current/functions-info.html>); nil for
  /// an empty name.
  ///
  /// The name to which values are cast has no length, as a cast to a length truncates.
  package init?(postgreSQL declaredType: String) {
    let name = Self.withoutLength(declaredType)
    guard !name.isEmpty else { return nil }
    // Arrays and composites are both shown as JSON.
    if name.hasSuffix("[]") {
      let element = String(name.dropLast(2))
      self.init(kind: .array, name: "\(Self.withAnyLength[element] ?? element)[]")
      return
    }
    if name.hasPrefix(Column.compositePrefix) {
      self.init(kind: .array, name: String(name.dropFirst(Column.compositePrefix.count)))
      return
    }
    switch name.lowercased() {
    // All integers are bound as `int8`: an index over a shorter type still serves the comparison.
    case "smallint", "integer", "bigint", "int", "int2", "int4", "int8": self = .integer
    case "numeric", "decimal": self = .numeric
    case "double precision", "float8": self = .real
    // Its values equal a literal only if that is rounded like them.
    case "real", "float4": self.init(kind: .real, name: "float4")
    case "boolean", "bool": self = .boolean
    case "text", "character varying", "varchar", "name": self = .text
    case "character", "char", "bpchar": self.init(kind: .text, name: "bpchar")
    case "citext": self.init(kind: .text, name: "citext")
    case "bytea", "blob": self = .blob
    case "json": self.init(kind: .json, name: "json")
    case "jsonb": self = .json
    case "date": self.init(kind: .date, name: "date")
    case "time without time zone", "time": self.init(kind: .time, name: "time")
    case "timestamp without time zone", "timestamp": self = .timestamp
    case "timestamp with time zone", "timestamptz":
      self.init(kind: .timestampWithTimeZone, name: "timestamptz")
    case let type where type == "interval" || type.hasPrefix("interval "):
      self.init(kind: .interval, name: "interval")
    default: self.init(kind: .other, name: Self.withAnyLength[name] ?? name)
    }
  }

  /// The names that stand for a length of 1, and those of the same types for values of any length.
  private static let withAnyLength = ["bit": "\"bit\"", "character": "bpchar"]

  /// Returns a type without its parentheses, which may be in the middle: `timestamp(3) without time zone`.
  private static func withoutLength(_ type: String) -> String {
    guard !type.hasPrefix("\""), let open = type.firstIndex(of: "("),
      let close = type[open...].firstIndex(of: ")")
    else { return type }
    return String(type[..<open]) + type[type.index(after: close)...]
  }

  /// The name as SQL, which is trusted as it comes from the database's catalog.
  var sql: SQL { SQL(trusted: name) }

  /// Returns a parameter of this type.
  func parameter(_ binding: SQL.Binding) -> SQL { .bound(to: binding, as: name) }

  /// The type as error messages name it.
  var description: String {
    switch kind {
    case .integer: "an integer"
    case .numeric, .real: "a number"
    case .boolean: "a boolean"
    case .text: "a text"
    case .blob: "binary data"
    case .json: "JSON"
    case .dynamic: "a value of JSON or a claim"
    case .date: "a date"
    case .time: "a time"
    case .timestamp, .timestampWithTimeZone: "a timestamp"
    case .interval: "an interval"
    case .array: "an array"
    case .other: "a value of type \(name)"
    }
  }

  /// Whether PostgreSQL can sort and compare its values.
  ///
  /// It can do so with the values of a composite type only if it can with those of all parts.
  var isOrdered: Bool {
    let element = name.hasSuffix("[]") ? String(name.dropLast(2)) : name
    if kind == .array, element == name { return false }
    // A type of an extension may be named with its schema.
    let last = element.split(separator: ".").last.map(String.init) ?? element
    return !Self.unordered.contains(last)
  }

  private static let unordered: Set = [
    "json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle", "hstore", "jsonpath",
    "aclitem", "xid", "cid", "refcursor", "txid_snapshot",
  ]

  /// Whether values are comparable with those of another type, as far as the kinds tell.
  func isCertainlyComparable(with other: ValueType) -> Bool {
    // The type `json` has no equality operator, so its values are compared as others.
    if self == other || kind == .json && other.kind == .json { return true }
    if kind.isNumber && other.kind.isNumber || kind.isDate && other.kind.isDate { return true }
    return kind == .text && other.kind == .text
  }

  /// Returns the type of an arithmetic operation on two values.
  func joined(_ other: ValueType?) -> ValueType {
    guard let other, other != self else { return self }
    if kind == .real || other.kind == .real { return .real }
    return kind == .numeric || other.kind == .numeric ? .numeric : self
  }
}

extension QueryParameter.Kind {
  /// The type of its values.
  var valueType: ValueType {
    switch self {
    case .text: .text
    case .integer: .integer
    case .real: .real
    case .boolean: .boolean
    }
  }
}
