import KindredPlanning

extension RecordShape {
  /// Whether the shape is a single value rather than a record or records.
  var isValue: Bool {
    switch self {
    case .value: true
    case .optional(_, let shape): shape.isValue
    case .object, .child: false
    }
  }
}
