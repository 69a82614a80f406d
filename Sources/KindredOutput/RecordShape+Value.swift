import KindredAssociations

extension RecordShape {
  /// Whether the shape is a single value rather than a record or records.
  var isValue: Bool {
    switch self {
    case .value: true
    case .optional(_, let shape): shape.isValue
    case .object, .child: false
    }
  }

  /// The largest number of values in a row.
  var valueCount: Int {
    switch self {
    case .value: 1
    case .object(let members): members.reduce(0) { $0 + $1.shape.valueCount }
    case .optional(_, let shape): shape.valueCount
    case .child: 0
    }
  }
}
