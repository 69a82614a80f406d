import KindredModel

/// The type of an expression, for a database whose expressions have types.
package struct ValueType: Hashable, Sendable {
  /// The types that expressions treat differently.
  package enum Kind: Hashable, Sendable {
    case integer, numeric, real, boolean, text, blob, json
    case date, time, timestamp, timestampWithTimeZone, interval
    case array
    /// A type that is known only when a statement runs.
    case dynamic
    /// Any other type, whose values are shown as texts.
    case other

    /// Whether arithmetic is defined.
    package var isNumber: Bool { self == .integer || self == .numeric || self == .real }

    /// Whether values contain a calendar date.
    package var isDate: Bool { self == .date || self == .timestamp || self == .timestampWithTimeZone }
  }

  package let kind: Kind
  /// The name as the database writes it, without a length.
  package let name: String

  /// Creates a type of a database.
  package init(kind: Kind, name: String) { (self.kind, self.name) = (kind, name) }

  /// Whether equal values always have the same text.
  package var hasOneText: Bool {
    switch kind {
    case .integer, .boolean, .date, .time, .timestamp, .timestampWithTimeZone: true
    case .text: name == "text"
    case .other: name == "uuid"
    default: false
    }
  }
}

/// An error: an operand has a type that the operator or the function doesn't accept.
package struct TypeMismatch: Error {
  /// A description of the error, without a suggested fix.
  package let message: String
  /// The index of the operand that a `cast` would fix, and the type to cast it to; nil if none would.
  var cast: (operand: Int, type: Expression.CastType)?

  package init(message: String, cast: (operand: Int, type: Expression.CastType)? = nil) {
    self.message = message
    self.cast = cast
  }
}
