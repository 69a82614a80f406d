import KindredModel

/// The origins of associations, as far as the client may see them.
package struct AssociationOrigins {
  /// The visible columns of each table.
  private let visible: [String: Set<String>]

  package init(_ model: Model) {
    visible = Dictionary(
      model.resources.values.map { ($0.table.name, Set($0.columns.map(\.name))) },
      uniquingKeysWith: { $0.union($1) })
  }

  /// The line of the model file, or the columns of the foreign keys, such as `book.authorId`; nil if these aren't
  /// visible.
  package subscript(association: Association) -> String? {
    if let definition = association.definition { return definition }
    let keys = association.steps.map { step in
      step.direction == .belongsTo
        ? (step.origin, step.originColumns) : (step.destination, step.destinationColumns)
    }
    guard keys.allSatisfy({ isVisible($1, of: $0) }) else { return nil }
    return keys.flatMap { table, columns in columns.map { "\(table).\($0)" } }.joined(separator: ", ")
  }

  package func isVisible(_ table: String) -> Bool { visible[table] != nil }

  package func isVisible(_ columns: [String], of table: String) -> Bool {
    columns.allSatisfy { visible[table]?.contains($0) ?? false }
  }
}
