import KindredPlanning
import KindredSQLSyntax

extension ParentInputs {
  /// Returns the condition that a column has a value of any parent, for a link to the value of one; nil if the link reads
  /// more than that.
  mutating func condition(for colocation: Colocation) -> SQL? {
    var read: [(binding: SQL.Binding, type: String?)] = []
    _ = colocation.originColumn.replacingBindings { binding, type in
      read.append((binding, type))
      return nil
    }
    guard read.count == 1, case .ancestor = read[0].binding, let type = read[0].type else { return nil }
    _ = localized(colocation.originColumn)
    guard let number = columns.firstIndex(of: read[0].binding) else { return nil }
    return "\(colocation.column) = ANY(\(SQL.bound(to: .batch(number), as: "\(type)[]")))"
  }
}
