import KindredModel

extension Column {
  /// The JSON format of its values.
  public var valueFormat: Plan.ValueFormat {
    if document != nil, !isComposed { return .json }
    return switch declaredType.uppercased() {
    case "BOOLEAN", "BOOL": .boolean
    case "JSON": .json
    // SQLite has no type JSON; its rules give such a column numeric affinity.
    case "JSONB" where affinity == .text: .json
    default: .plain
    }
  }
}
