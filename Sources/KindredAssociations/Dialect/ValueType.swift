/// What the values of an expression are, to a database that has types.
struct ValueType: Hashable, Sendable {
  /// The types that expressions treat differently.
  enum Kind: Hashable, Sendable {
    case integer, numeric, real, boolean, text, blob, json
    case date, time, timestamp, timestampWithTimeZone, interval
    case array
    /// Any other one, whose values are written as texts.
    case other

    /// Whether arithmetic is defined.
    var isNumber: Bool { self == .integer || self == .numeric || self == .real }

    /// Whether it is a point in time that holds a day.
    var isDate: Bool { self == .date || self == .timestamp || self == .timestampWithTimeZone }
  }

  let kind: Kind

  /// Whether equal values are always written as equal texts.
  var hasOneText: Bool {
    switch kind {
    case .integer: true
    case .text: name == "text"
    case .other: name == "uuid"
    default: false
    }
  }

  /// The name as the database writes it, without a length.
  let name: String
}

/// An operand of a type that has no meaning where it stands.
struct TypeMismatch: Error {
  /// What is wrong, without the fix.
  let message: String
  /// The number of the operand that a `cast` makes right, and its type; nil where none does.
  var cast: (operand: Int, type: Expression.CastType)?
}
