import KindredAssociations

extension RecordShape {
  /// Whether it is one value, and not a record or records.
  var isValue: Bool {
    switch self {
    case .value: true
    case .optional(_, let shape): shape.isValue
    case .object, .child: false
    }
  }

  /// How many values a row has at most.
  var valueCount: Int {
    switch self {
    case .value: 1
    case .object(let members): members.reduce(0) { $0 + $1.shape.valueCount }
    case .optional(_, let shape): shape.valueCount
    case .child: 0
    }
  }
}
